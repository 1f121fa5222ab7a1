#include <openssl/crypto.h>

// OpenSSL takes itself to pieces when the process calls exit(3), while the threads of sessions and event loops still use it: they crash
// now and then, and the program with them. The system takes back everything anyway. Only the first call to OpenSSL can say so, and any
// part of a program may make that one; so it is made before main.
__attribute__((constructor)) static void keep_openssl_to_the_end(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
