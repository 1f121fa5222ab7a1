// libp11: keys on PKCS#11 tokens, for OpenSSL.
//
// Its header says what its functions look like; nothing is linked. The library is looked for when the first identity on a token is
// asked for, so that programs run without it.
#ifndef BELAY_CP11_SHIMS_H
#define BELAY_CP11_SHIMS_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <dlfcn.h>
#include <libp11.h>
#include <openssl/engine.h>
#include <openssl/ui.h>

// What is used of libp11.
typedef struct {
    __typeof__(&ERR_get_CKR_code) error_library;
    __typeof__(&ERR_load_PKCS11_strings) load_error_texts;
    __typeof__(&PKCS11_CTX_new) context_new;
    __typeof__(&PKCS11_CTX_load) context_load;
    __typeof__(&PKCS11_CTX_unload) context_unload;
    __typeof__(&PKCS11_CTX_free) context_free;
    __typeof__(&PKCS11_set_ui_method) set_ui_method;
    __typeof__(&PKCS11_enumerate_slots) enumerate_slots;
    __typeof__(&PKCS11_release_all_slots) release_all_slots;
    __typeof__(&PKCS11_login) login;
    __typeof__(&PKCS11_enumerate_keys) enumerate_keys;
    __typeof__(&PKCS11_enumerate_certs) enumerate_certs;
    __typeof__(&PKCS11_get_private_key) get_private_key;
    __typeof__(&PKCS11_pkey_meths) key_methods;
} belay_p11;

// Finds the functions in the library; the name of the first that is missing, NULL where all are there.
static inline const char *belay_p11_find(void *library, belay_p11 *found) {
#define BELAY_FIND(field, name) \
    if ((found->field = (__typeof__(found->field))dlsym(library, #name)) == NULL) return #name
    BELAY_FIND(error_library, ERR_get_CKR_code);
    BELAY_FIND(load_error_texts, ERR_load_PKCS11_strings);
    BELAY_FIND(context_new, PKCS11_CTX_new);
    BELAY_FIND(context_load, PKCS11_CTX_load);
    BELAY_FIND(context_unload, PKCS11_CTX_unload);
    BELAY_FIND(context_free, PKCS11_CTX_free);
    BELAY_FIND(set_ui_method, PKCS11_set_ui_method);
    BELAY_FIND(enumerate_slots, PKCS11_enumerate_slots);
    BELAY_FIND(release_all_slots, PKCS11_release_all_slots);
    BELAY_FIND(login, PKCS11_login);
    BELAY_FIND(enumerate_keys, PKCS11_enumerate_keys);
    BELAY_FIND(enumerate_certs, PKCS11_enumerate_certs);
    BELAY_FIND(get_private_key, PKCS11_get_private_key);
    BELAY_FIND(key_methods, PKCS11_pkey_meths);
#undef BELAY_FIND
    return NULL;
}

static inline int belay_p11_refuse_question(UI *ui, UI_STRING *string) {
    (void)ui;
    (void)string;
    return 0;
}

// Answers no question. libp11 asks for the PIN again where a key wants it at every signature, at the terminal unless told otherwise.
static inline UI_METHOD *belay_p11_silence(void) {
    UI_METHOD *method = UI_create_method("Belay asks nobody");
    if (method != NULL) UI_method_set_reader(method, belay_p11_refuse_question);
    return method;
}

// An ENGINE object with libp11's methods for keys, which sign with RSASSA-PSS on the token itself: many allow no raw RSA. It is in no
// list of OpenSSL's, and becomes the default of nothing; only the keys that it is set on know it.
static inline ENGINE *belay_p11_engine(const belay_p11 *functions) {
    ENGINE *engine = ENGINE_new();
    if (engine != NULL
        && (!ENGINE_set_id(engine, "belay-p11") || !ENGINE_set_name(engine, "keys on tokens")
            || !ENGINE_set_pkey_meths(engine, functions->key_methods))) {
        ENGINE_free(engine);
        engine = NULL;
    }
    return engine;
}

static inline int belay_p11_use_engine(EVP_PKEY *key, ENGINE *engine) { return EVP_PKEY_set1_engine(key, engine); }

#endif
