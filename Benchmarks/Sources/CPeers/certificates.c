#include "peers.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

struct peer_store {
    X509_STORE *handle;
};

static X509 *parse(const unsigned char *der, size_t length) {
    const unsigned char *position = der;
    return d2i_X509(NULL, &position, (long)length);
}

int peer_parse(const unsigned char *der, size_t length) {
    X509 *certificate = parse(der, length);
    if (certificate == NULL) return 0;
    X509_free(certificate);
    return 1;
}

peer_store *peer_store_new(const unsigned char *root, size_t length) {
    X509 *certificate = parse(root, length);
    peer_store *store = calloc(1, sizeof *store);
    if (certificate == NULL || store == NULL || (store->handle = X509_STORE_new()) == NULL
        || X509_STORE_add_cert(store->handle, certificate) != 1) {
        X509_free(certificate);
        peer_store_free(store);
        return NULL;
    }
    X509_free(certificate);
    return store;
}

void peer_store_free(peer_store *store) {
    if (store == NULL) return;
    X509_STORE_free(store->handle);
    free(store);
}

int peer_verify_known(peer_store *store, X509 *leaf, X509 *intermediate, const char *host) {
    STACK_OF(X509) *others = sk_X509_new_null();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    int good = 0;
    if (leaf != NULL && intermediate != NULL && others != NULL && context != NULL && sk_X509_push(others, intermediate) > 0
        && X509_STORE_CTX_init(context, store->handle, leaf, others) == 1
        && X509_STORE_CTX_set_default(context, "ssl_server") == 1
        && X509_VERIFY_PARAM_set1_host(X509_STORE_CTX_get0_param(context), host, 0) == 1) {
        good = X509_verify_cert(context) == 1;
    }
    X509_STORE_CTX_free(context);
    sk_X509_free(others);
    if (!good) ERR_clear_error();
    return good;
}

int peer_verify_warm(peer_store *store, const unsigned char *leaf, size_t leaf_length, X509 *intermediate, const char *host) {
    X509 *subject = parse(leaf, leaf_length);
    int good = peer_verify_known(store, subject, intermediate, host);
    X509_free(subject);
    return good;
}

int peer_verify(peer_store *store, const unsigned char *leaf, size_t leaf_length, const unsigned char *intermediate,
                size_t intermediate_length, const char *host) {
    X509 *issuer = parse(intermediate, intermediate_length);
    int good = peer_verify_warm(store, leaf, leaf_length, issuer, host);
    X509_free(issuer);
    return good;
}

int peer_verify_cold(const unsigned char *root, size_t root_length, const unsigned char *leaf, size_t leaf_length,
                     const unsigned char *intermediate, size_t intermediate_length, const char *host) {
    peer_store *store = peer_store_new(root, root_length);
    int good = store != NULL && peer_verify(store, leaf, leaf_length, intermediate, intermediate_length, host);
    peer_store_free(store);
    return good;
}

X509 *peer_certificate_new(const unsigned char *der, size_t length) { return parse(der, length); }

void peer_certificate_free(X509 *certificate) { X509_free(certificate); }

int peer_load_anchors(const char *path) {
    X509_STORE *store = X509_STORE_new();
    if (store == NULL) return -1;
    int count = -1;
    if (X509_STORE_load_file(store, path) == 1) count = sk_X509_OBJECT_num(X509_STORE_get0_objects(store));
    X509_STORE_free(store);
    return count;
}

const char *peer_openssl_version(void) { return OpenSSL_version(OPENSSL_VERSION); }
