// OpenSSL 3.0 for Swift: the headers Belay uses, and a function for each macro that Swift cannot import.
#ifndef BELAY_COPENSSL_SHIMS_H
#define BELAY_COPENSSL_SHIMS_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros with casts, which Swift does not import.
static const int belay_evp_pkey_public_key = EVP_PKEY_PUBLIC_KEY;

#endif
