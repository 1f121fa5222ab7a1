// X509_verify_cert as a function of a chain: what a careful client of OpenSSL would set is set.
#ifndef OPENSSL_VERIFIER_H
#define OPENSSL_VERIFIER_H

#include <stddef.h>

typedef struct verification verification;

/// A verification without certificates; NULL when memory is short.
verification *verification_new(void);
void verification_free(verification *verification);

/// Adds a trusted certificate, or one that the server sent (the leaf first). One that OpenSSL does not read is remembered.
void verification_add_anchor(verification *verification, const unsigned char *der, size_t count);
void verification_add_sent(verification *verification, const unsigned char *der, size_t count);

/// Judges the chain for a host (a DNS name or an address) at a moment in seconds since 1970.
/// Returns 0 for acceptance, an X509_V_ERR_ code for refusal, -1 where a certificate cannot be read.
int verification_run(verification *verification, const char *host, int is_address, long long moment);

/// The words for a code.
const char *verification_text(int code);

#endif
