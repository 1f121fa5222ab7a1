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
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

// Macros with casts, which Swift does not import.
static const int belay_evp_pkey_public_key = EVP_PKEY_PUBLIC_KEY;

// A key on a named curve from its parts: a public key from its point, or the curve alone where `point` is NULL. NULL where the point
// is not on the curve.
//
// In C because OSSL_PARAM keeps pointers to the names of its fields, and Swift's strings do not stay in place.
// Building the key from its parts is five times as fast as d2i_PUBKEY, which asks every decoder in turn.
static inline EVP_PKEY *belay_ec_key(const char *group, const unsigned char *point, size_t length) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group, 0),
        point == NULL ? OSSL_PARAM_construct_end()
                      : OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, length),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (context != NULL && EVP_PKEY_fromdata_init(context) == 1) {
        EVP_PKEY_fromdata(context, &key, point == NULL ? EVP_PKEY_KEY_PARAMETERS : EVP_PKEY_PUBLIC_KEY, parameters);
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

// A public key from its point and a key that has the curve alone; NULL where the point is not on the curve.
//
// Four times as fast again: most of the work of the function above is setting up the curve.
static inline EVP_PKEY *belay_ec_public_key(EVP_PKEY *curve, const unsigned char *point, size_t length) {
    EVP_PKEY *key = EVP_PKEY_dup(curve);
    if (key != NULL && EVP_PKEY_set1_encoded_public_key(key, point, length) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    return key;
}

// An RSA public key from modulus and exponent, big-endian without leading zeros; NULL where OpenSSL has no use for them.
//
// Twenty times as fast as d2i_PUBKEY, for the same reason.
static inline EVP_PKEY *belay_rsa_public_key(const unsigned char *modulus, size_t modulus_length,
                                             const unsigned char *exponent, size_t exponent_length) {
    // OSSL_PARAM wants integers in the machine's byte order. OpenSSL verifies nothing with a longer modulus.
    unsigned char numbers[2][OPENSSL_RSA_MAX_MODULUS_BITS / 8];
    if (modulus_length == 0 || modulus_length > sizeof numbers[0] || exponent_length == 0
        || exponent_length > sizeof numbers[1]) {
        return NULL;
    }
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_length, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_length, NULL);
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    if (n != NULL && e != NULL && context != NULL && BN_bn2nativepad(n, numbers[0], (int)modulus_length) > 0
        && BN_bn2nativepad(e, numbers[1], (int)exponent_length) > 0 && EVP_PKEY_fromdata_init(context) == 1) {
        OSSL_PARAM parameters[] = {
            OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_N, numbers[0], modulus_length),
            OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_E, numbers[1], exponent_length),
            OSSL_PARAM_construct_end(),
        };
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    }
    EVP_PKEY_CTX_free(context);
    BN_free(e);
    BN_free(n);
    return key;
}

static const int belay_evp_pkey_keypair = EVP_PKEY_KEYPAIR;

// --- TLS (libssl): macros that Swift cannot import ---
static inline int belay_tls_set_versions(SSL_CTX *context, int minimum, int maximum) {
    return SSL_CTX_set_min_proto_version(context, minimum) && SSL_CTX_set_max_proto_version(context, maximum);
}
// What every context gets: no compression, no renegotiation, records read ahead in one call, buffers that may move
// between attempts, one record at a time (so that an endless stream of tickets cannot hold a thread).
static inline void belay_tls_prepare(SSL_CTX *context, long maximum_certificate_list) {
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
#ifdef SSL_OP_NO_RX_CERTIFICATE_COMPRESSION
    SSL_CTX_set_options(context, SSL_OP_NO_RX_CERTIFICATE_COMPRESSION);
#endif
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                                  | SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_max_cert_list(context, maximum_certificate_list);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}
static inline void belay_tls_allow_legacy_servers(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_LEGACY_SERVER_CONNECT);
}
static inline void belay_tls_no_tickets(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
}
// A server's sessions: whether they are kept, and the name of the context that they can be resumed in.
static inline int belay_tls_allow_resumption(SSL_CTX *context, int keeps, const unsigned char *name, size_t length) {
    if (keeps) SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_SERVER);
    return SSL_CTX_set_session_id_context(context, name, (unsigned int)length);
}
static inline void belay_tls_no_extended_master_secret(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_EXTENDED_MASTER_SECRET);
}
static inline void belay_tls_prefer_own_ciphers(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE);
}
static inline long belay_tls_request_staple(SSL_CTX *context) {
    return SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
}
static inline int belay_tls_request_timestamps(SSL_CTX *context) {
    return SSL_CTX_add_custom_ext(context, TLSEXT_TYPE_signed_certificate_timestamp,
                                  SSL_EXT_CLIENT_HELLO | SSL_EXT_TLS1_2_SERVER_HELLO | SSL_EXT_TLS1_3_CERTIFICATE,
                                  NULL, NULL, NULL, NULL, NULL);
}
static inline int belay_tls_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
static inline void belay_tls_set_message_argument(SSL *ssl, void *argument) {
    SSL_set_msg_callback_arg(ssl, argument);
}
// For contexts that another library made, and reads and writes with: what the guard of their connections needs, and nothing else.
static inline void belay_tls_set_context_message_argument(SSL_CTX *context, void *argument) {
    SSL_CTX_set_msg_callback_arg(context, argument);
}
static inline void belay_tls_harden(SSL_CTX *context, long maximum_certificate_list) {
    // libcurl turns tickets off, and many servers of TLS 1.2 resume by nothing else.
    SSL_CTX_clear_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_max_cert_list(context, maximum_certificate_list);
}
// An index for an object of ours in every SSL_CTX; `release` is called with it when its context goes.
static inline int belay_tls_context_index(void (*release)(void *, void *, CRYPTO_EX_DATA *, int, long, void *)) {
    return CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL, release);
}
static inline int belay_x509_stack_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *belay_x509_stack_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
static inline void belay_bio_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void belay_bio_retry_write(BIO *bio) { BIO_set_retry_write(bio); }
static inline void belay_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline STACK_OF(X509) *belay_tls_stack_new(void) { return sk_X509_new_null(); }
static inline int belay_tls_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}
static inline void belay_tls_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }
static inline int belay_tls_set_chain(SSL_CTX *context, STACK_OF(X509) *chain) {
    return (int)SSL_CTX_set1_chain(context, chain);
}
static inline void belay_tls_set_staple_callback(SSL_CTX *context, int (*callback)(SSL *, void *), void *argument) {
    SSL_CTX_set_tlsext_status_cb(context, callback);
    SSL_CTX_set_tlsext_status_arg(context, argument);
}
static inline long belay_tls_set_staple(SSL *ssl, unsigned char *response, long length) {
    return SSL_set_tlsext_status_ocsp_resp(ssl, response, length);
}
static inline void belay_openssl_free(void *memory) { OPENSSL_free(memory); }
static inline void *belay_openssl_malloc(size_t size) { return OPENSSL_malloc(size); }
static inline int belay_tls_add_timestamps(SSL_CTX *context, const unsigned char *list, size_t length) {
    // A block of server information, version 2: context, extension type, length, content.
    if (length > 0xFFFF) return 0;
    unsigned char *block = OPENSSL_malloc(length + 8);
    if (block == NULL) return 0;
    unsigned int where = SSL_EXT_CLIENT_HELLO | SSL_EXT_TLS1_2_SERVER_HELLO | SSL_EXT_TLS1_3_CERTIFICATE
                         | SSL_EXT_IGNORE_ON_RESUMPTION;
    unsigned char head[8] = {where >> 24, (where >> 16) & 0xFF, (where >> 8) & 0xFF, where & 0xFF,
                             0, TLSEXT_TYPE_signed_certificate_timestamp, length >> 8, length & 0xFF};
    memcpy(block, head, 8);
    memcpy(block + 8, list, length);
    int result = SSL_CTX_use_serverinfo_ex(context, SSL_SERVERINFOV2, block, length + 8);
    OPENSSL_free(block);
    return result;
}
// A builder keeps the pointers to names until the end, so the names must be C's.
static inline int belay_push_rsa_exponent(OSSL_PARAM_BLD *builder, const BIGNUM *number) {
    return OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_D, number);
}
static inline int belay_push_private_number(OSSL_PARAM_BLD *builder, const BIGNUM *number) {
    return OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number);
}
static inline int belay_push_private_octets(OSSL_PARAM_BLD *builder, const void *octets, size_t count) {
    return OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PRIV_KEY, octets, count);
}
// --- end of TLS ---

// A number of a key by the name of its parameter, in the machine's byte order (little-endian on all that Belay runs on), into memory of the
// caller's: how many bytes it took, 0 where there is none. In C because OSSL_PARAM keeps pointers to the names of its fields.
static inline size_t belay_key_number(const EVP_PKEY *key, const char *name, void *output, size_t length) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_BN(name, (unsigned char *)output, length),
        OSSL_PARAM_construct_end(),
    };
    if (EVP_PKEY_get_params(key, parameters) != 1 || !OSSL_PARAM_modified(parameters)) return 0;
    return parameters[0].return_size <= length ? parameters[0].return_size : 0;
}

// A private key on a named curve from its scalar, big-endian, and its point. NULL where OpenSSL has no use for them.
//
// The decoders that d2i_PrivateKey and EVP_PKCS82PKEY ask free what they decode without clearing it; this leaves nothing behind.
static inline EVP_PKEY *belay_ec_private_key(const char *group, const unsigned char *scalar, size_t scalar_length,
                                             const unsigned char *point, size_t point_length) {
    unsigned char number[72];
    if (scalar_length == 0 || scalar_length > sizeof number) return NULL;
    BIGNUM *d = BN_secure_new();
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (d != NULL && context != NULL && BN_bin2bn(scalar, (int)scalar_length, d) != NULL
        && BN_bn2nativepad(d, number, (int)scalar_length) > 0 && EVP_PKEY_fromdata_init(context) == 1) {
        OSSL_PARAM parameters[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group, 0),
            OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, point_length),
            OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, number, scalar_length),
            OSSL_PARAM_construct_end(),
        };
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters);
    }
    OPENSSL_cleanse(number, sizeof number);
    BN_clear_free(d);
    EVP_PKEY_CTX_free(context);
    return key;
}

#endif
