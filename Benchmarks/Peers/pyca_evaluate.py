#!/usr/bin/env python3
"""Evaluates chains by pyca `cryptography`'s verifier as often as it is told to, and says what that took.

Arguments: a file with a certificate a line (base64 of DER: root, intermediate, leaves), and the host. The first line of output names
the verifier. Then each line of input, `cold|warm|known COUNT`, gets a line: seconds of processor time, seconds by the clock.
"""

import base64
import sys
import time

try:
    import cryptography
    from cryptography import x509
    from cryptography.hazmat.backends.openssl import backend
    from cryptography.x509.verification import PolicyBuilder, Store
except ImportError as missing:
    sys.exit(print(f"error: {missing} (cryptography 42 or newer has it)"))


def main():
    with open(sys.argv[1], "rb") as file:
        root, intermediate, *leaves = [base64.b64decode(line) for line in file]
    host = x509.DNSName(sys.argv[2])
    parse = x509.load_der_x509_certificate

    def verifier():
        return PolicyBuilder().store(Store([parse(root)])).build_server_verifier(host)

    kept, issuer, known = verifier(), [parse(intermediate)], [parse(leaf) for leaf in leaves]

    def cold(count):
        for index in range(count):
            verifier().verify(parse(leaves[index % len(leaves)]), [parse(intermediate)])

    def warm(count):
        for index in range(count):
            kept.verify(parse(leaves[index % len(leaves)]), issuer)

    def again(count):
        for index in range(count):
            kept.verify(known[index % len(known)], issuer)

    jobs = {"cold": cold, "warm": warm, "known": again}
    print(f"pyca cryptography {cryptography.__version__} on {backend.openssl_version_text()}", flush=True)
    for line in sys.stdin:
        name, count = line.split()
        clock, processor = time.perf_counter(), time.process_time()
        jobs[name](int(count))
        print(f"{time.process_time() - processor:.9f} {time.perf_counter() - clock:.9f}", flush=True)


try:
    main()
except Exception as error:
    print(f"error: {type(error).__name__}: {error}", flush=True)
    sys.exit(1)
