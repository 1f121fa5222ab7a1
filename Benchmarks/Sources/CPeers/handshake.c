#include "peers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct peer_client {
    SSL_CTX *context;
};

peer_client *peer_client_new(const unsigned char *root, size_t length) {
    const unsigned char *position = root;
    X509 *certificate = d2i_X509(NULL, &position, (long)length);
    peer_client *client = calloc(1, sizeof *client);
    if (certificate == NULL || client == NULL || (client->context = SSL_CTX_new(TLS_client_method())) == NULL
        || SSL_CTX_set_min_proto_version(client->context, TLS1_3_VERSION) != 1
        || X509_STORE_add_cert(SSL_CTX_get_cert_store(client->context), certificate) != 1) {
        X509_free(certificate);
        peer_client_free(client);
        return NULL;
    }
    SSL_CTX_set_verify(client->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_session_cache_mode(client->context, SSL_SESS_CACHE_OFF);
    X509_free(certificate);
    return client;
}

void peer_client_free(peer_client *client) {
    if (client == NULL) return;
    SSL_CTX_free(client->context);
    free(client);
}

int peer_handshake(peer_client *client, unsigned short port, const char *host) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    SSL *ssl = NULL;
    int good = 0;
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0 && (ssl = SSL_new(client->context)) != NULL
        && SSL_set_fd(ssl, descriptor) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1 && SSL_set1_host(ssl, host) == 1) {
        good = SSL_connect(ssl) == 1 && SSL_get_verify_result(ssl) == X509_V_OK;
        if (good) SSL_shutdown(ssl);
    }
    SSL_free(ssl);
    close(descriptor);
    if (!good) ERR_clear_error();
    return good;
}
