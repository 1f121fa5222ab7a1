#define _GNU_SOURCE
#include "peers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int peer_listen(unsigned short *port) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0 || listen(descriptor, 511) != 0
        || getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) {
        close(descriptor);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return descriptor;
}

int peer_start(char *const arguments[], char *const environment[], int inherited, int output) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (inherited >= 0) posix_spawn_file_actions_adddup2(&actions, inherited, PEER_INHERITED);
    pid_t child;
    int error = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environment == NULL ? environ : environment);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0) return child;
    errno = error;
    return -1;
}

int peer_start_talking(char *const arguments[], int *conversation) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    pid_t child = -1;
    if (error == 0) {
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        error = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (error == 0) {
        *conversation = ends[0];
        return child;
    }
    close(ends[0]);
    errno = error;
    return -1;
}

int peer_say(int conversation, const char *text, size_t length) {
    while (length > 0) {
        // A program that has ended is an error here, not the end of this one.
        ssize_t sent = send(conversation, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return 0;
        text += sent;
        length -= (size_t)sent;
    }
    return 1;
}

int peer_wait(int child) {
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void peer_stop(int child) {
    if (kill(child, SIGTERM) == 0) peer_wait(child);
}

int peer_replace_privately(const char *path, const char *replacement) {
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
        && mount(replacement, path, NULL, MS_BIND, NULL) == 0;
}
