#include "verifier.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

struct verification {
    X509_STORE *anchors;
    STACK_OF(X509) *sent;
    int has_unreadable;
};

verification *verification_new(void) {
    verification *self = calloc(1, sizeof *self);
    if (self == NULL) return NULL;
    self->anchors = X509_STORE_new();
    self->sent = sk_X509_new_null();
    if (self->anchors == NULL || self->sent == NULL) {
        verification_free(self);
        return NULL;
    }
    return self;
}

void verification_free(verification *self) {
    if (self == NULL) return;
    X509_STORE_free(self->anchors);
    sk_X509_pop_free(self->sent, X509_free);
    free(self);
    ERR_clear_error();
}

static X509 *read_certificate(verification *self, const unsigned char *der, size_t count) {
    const unsigned char *position = der;
    X509 *certificate = d2i_X509(NULL, &position, (long)count);
    // Bytes behind the certificate are an error too: nobody would send them.
    if (certificate == NULL || position != der + count) {
        X509_free(certificate);
        self->has_unreadable = 1;
        return NULL;
    }
    return certificate;
}

void verification_add_anchor(verification *self, const unsigned char *der, size_t count) {
    X509 *certificate = read_certificate(self, der, count);
    if (certificate == NULL) return;
    X509_STORE_add_cert(self->anchors, certificate);
    X509_free(certificate);
}

void verification_add_sent(verification *self, const unsigned char *der, size_t count) {
    X509 *certificate = read_certificate(self, der, count);
    if (certificate != NULL && sk_X509_push(self->sent, certificate) <= 0) X509_free(certificate);
}

int verification_run(verification *self, const char *host, int is_address, long long moment) {
    if (self->has_unreadable || sk_X509_num(self->sent) < 1) return -1;
    int code = X509_V_ERR_UNSPECIFIED;
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    if (context == NULL || X509_STORE_CTX_init(context, self->anchors, sk_X509_value(self->sent, 0), self->sent) != 1) goto end;
    X509_STORE_CTX_set_default(context, "ssl_server");
    X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_time(parameters, (time_t)moment);
    // Any anchor ends a path; certificate policies count; RSA from 2048 bits, no SHA-1.
    X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_POLICY_CHECK);
    X509_VERIFY_PARAM_set_auth_level(parameters, 2);
    // Without this OpenSSL would take no policy for acceptable once an authority demands one.
    ASN1_OBJECT *any_policy = OBJ_nid2obj(NID_any_policy);
    if (any_policy == NULL || X509_VERIFY_PARAM_add0_policy(parameters, any_policy) != 1) goto end;
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if ((is_address ? X509_VERIFY_PARAM_set1_ip_asc(parameters, host) : X509_VERIFY_PARAM_set1_host(parameters, host, 0)) != 1) goto end;
    if (X509_verify_cert(context) == 1) {
        code = X509_V_OK;
    } else {
        code = X509_STORE_CTX_get_error(context);
        if (code == X509_V_OK) code = X509_V_ERR_UNSPECIFIED;
    }
end:
    X509_STORE_CTX_free(context);
    ERR_clear_error();
    return code;
}

const char *verification_text(int code) { return code < 0 ? "a certificate cannot be read" : X509_verify_cert_error_string(code); }
