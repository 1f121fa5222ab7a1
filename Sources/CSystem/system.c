#define _GNU_SOURCE
#include "CSystem.h"

#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>

int belay_accept_nonblocking(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int belay_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL, 0);
    if (flags < 0) return -1;
    return fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

void belay_name_current_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}
