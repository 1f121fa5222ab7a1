#!/usr/bin/env python3
"""Judges trust cases (NDJSON on standard input) by pyca `cryptography`'s verifier; one answer a line, in order."""

import base64
import datetime
import ipaddress
import json
import sys
import warnings

from cryptography import x509
from cryptography.x509.verification import PolicyBuilder, Store

# Deprecated spellings in mutated certificates are not this program's business.
warnings.simplefilter("ignore")


def read(text):
    return x509.load_der_x509_certificate(base64.b64decode(text))


def subject(host):
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        # The verifier takes names without the trailing dot.
        return x509.DNSName(host.rstrip("."))


def judge(case):
    moment = datetime.datetime.strptime(case["time"], "%Y-%m-%dT%H:%M:%SZ")
    store = Store([read(text) for text in case["anchors"]])
    leaf, *others = [read(text) for text in case["chain"]]
    PolicyBuilder().store(store).time(moment).build_server_verifier(subject(case["host"])).verify(leaf, others)


def main():
    for line in sys.stdin:
        case = json.loads(line)
        answer = {"id": case["id"], "accepted": True, "error": ""}
        try:
            judge(case)
        except Exception as error:  # Every kind of error is a refusal; its text says which.
            answer.update(accepted=False, error=f"{type(error).__name__}: {error}")
        print(json.dumps(answer))


main()
