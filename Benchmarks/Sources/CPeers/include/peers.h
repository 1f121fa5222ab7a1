// The jobs that Belay is measured at, done in C with OpenSSL alone.
#ifndef BELAY_PEERS_H
#define BELAY_PEERS_H

#include <stddef.h>

typedef struct peer_store peer_store;
typedef struct peer_client peer_client;

// d2i_X509 and X509_free. 1 when the bytes are a certificate.
int peer_parse(const unsigned char *der, size_t length);

// A store with one root; NULL when the bytes are no certificate.
peer_store *peer_store_new(const unsigned char *root, size_t length);
void peer_store_free(peer_store *store);

// Parses leaf and intermediate, verifies the path to the store's root for a TLS server of this name, frees both. 1 when good.
int peer_verify(peer_store *store, const unsigned char *leaf, size_t leaf_length, const unsigned char *intermediate,
                size_t intermediate_length, const char *host);

// The same with nothing kept: the root is parsed and a store made for it each time.
int peer_verify_cold(const unsigned char *root, size_t root_length, const unsigned char *leaf, size_t leaf_length,
                     const unsigned char *intermediate, size_t intermediate_length, const char *host);

// A certificate that stays parsed; NULL when the bytes are none.
typedef struct x509_st peer_certificate;
peer_certificate *peer_certificate_new(const unsigned char *der, size_t length);
void peer_certificate_free(peer_certificate *certificate);

// The same with store and intermediate kept, and the leaf parsed each time.
int peer_verify_warm(peer_store *store, const unsigned char *leaf, size_t leaf_length, peer_certificate *intermediate,
                     const char *host);

// The same with everything kept that is parsed.
int peer_verify_known(peer_store *store, peer_certificate *leaf, peer_certificate *intermediate, const char *host);

// X509_STORE_load_file into a fresh store, which is freed. The number of certificates, or -1.
int peer_load_anchors(const char *path);

// A client that verifies servers against a root; one SSL_CTX for all of its connections. TLS 1.3 only.
peer_client *peer_client_new(const unsigned char *root, size_t length);
void peer_client_free(peer_client *client);

// Connects to 127.0.0.1, makes the handshake with OpenSSL's own verdict on chain and name, says goodbye. 1 when trusted.
int peer_handshake(peer_client *client, unsigned short port, const char *host);

// OpenSSL's version.
const char *peer_openssl_version(void);

// A listening socket on loopback on a port of the kernel's choice; -1 where there is none.
int peer_listen(unsigned short *port);

// The descriptor under which a started program finds the one that it inherits.
enum { PEER_INHERITED = 9 };

// Starts a program: `arguments` and `environment` (NULL: this program's own) end with NULL. `inherited` and `output` (its standard
// output) are descriptors of this program, or -1. The process, or -1.
int peer_start(char *const arguments[], char *const environment[], int inherited, int output);

// Starts a program whose standard input and output are one socket, the other end of which is `*conversation`. The process, or -1.
int peer_start_talking(char *const arguments[], int *conversation);

// Sends text to such a program. 1 when all of it went.
int peer_say(int conversation, const char *text, size_t length);

// Gives this thread, and the programs it starts from now on, a view of the file system of their own in which `path` has the contents of
// `replacement`. Needs root. 1 when done.
int peer_replace_privately(const char *path, const char *replacement);

// Waits for the end of a process: its exit status, 128 and the signal, or -1.
int peer_wait(int child);

// Ends a process that peer_start gave, and waits for it.
void peer_stop(int child);

#endif
