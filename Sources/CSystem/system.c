#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

int belay_accept_nonblocking(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int belay_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL, 0);
    if (flags < 0) return -1;
    return fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

int belay_hold_standard_descriptors(void) {
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0) continue;
        // A socket cannot be opened by the name /dev/stdin, where /dev/null would pass for an empty file; and what is written to a
        // descriptor for reading does not pass for written. The lowest free number is the one that is missing.
        int opened = descriptor == 0 ? socket(AF_UNIX, SOCK_STREAM, 0) : open("/dev/null", O_RDONLY);
        if (opened != descriptor) return -1;
    }
    return 0;
}

void belay_name_current_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

static _Thread_local char hidden_variable[64];

void belay_hide_variable(const char *name) {
    snprintf(hidden_variable, sizeof hidden_variable, "%s", name ? name : "");
}

char *belay_copy_text(const char *text) {
    const char *hidden = hidden_variable[0] ? getenv(hidden_variable) : NULL;
    return hidden && strcmp(text, hidden) == 0 ? NULL : strdup(text);
}

int belay_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int belay_epoll_watch_always(int epoll, int descriptor, uint64_t token) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = token}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int belay_epoll_watch_once(int epoll, int is_known, int descriptor, uint32_t directions, uint64_t token) {
    struct epoll_event event = {.events = EPOLLONESHOT, .data = {.u64 = token}};
    if (directions & 1) event.events |= EPOLLIN | EPOLLRDHUP;
    if (directions & 2) event.events |= EPOLLOUT;
    return epoll_ctl(epoll, is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
}

int belay_epoll_wait(int epoll, uint64_t *tokens, uint32_t *directions, int capacity) {
    struct epoll_event found[64];
    int count = epoll_wait(epoll, found, capacity < 64 ? capacity : 64, -1);
    for (int index = 0; index < count; index++) {
        tokens[index] = found[index].data.u64;
        uint32_t events = found[index].events;
        // An error or a hang-up wakes both directions: the call that follows says which it was.
        if (events & (EPOLLERR | EPOLLHUP)) events |= EPOLLIN | EPOLLOUT;
        directions[index] = (events & (EPOLLIN | EPOLLRDHUP) ? 1 : 0) | (events & EPOLLOUT ? 2 : 0);
    }
    return count;
}

int belay_epoll_watch(int epoll, int is_known, int descriptor, uint32_t directions) {
    struct epoll_event event = {.data = {.u64 = (uint32_t)descriptor}};
    if (directions == 0) return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event);
    if (directions & 1) event.events |= EPOLLIN;
    if (directions & 2) event.events |= EPOLLOUT;
    return epoll_ctl(epoll, is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
}

int belay_epoll_wait_until(int epoll, uint64_t *tokens, uint32_t *directions, int capacity, int milliseconds) {
    struct epoll_event found[64];
    int count = epoll_wait(epoll, found, capacity < 64 ? capacity : 64, milliseconds);
    for (int index = 0; index < count; index++) {
        tokens[index] = found[index].data.u64;
        uint32_t events = found[index].events;
        directions[index] = (events & EPOLLIN ? 1 : 0) | (events & EPOLLOUT ? 2 : 0)
                            | (events & (EPOLLERR | EPOLLHUP) ? 4 : 0);
    }
    return count;
}

int belay_eventfd_create(void) {
    return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

int belay_timerfd_create(void) {
    return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
}

int belay_timerfd_arm(int timer, int64_t nanoseconds) {
    struct itimerspec when = {.it_value = {nanoseconds / 1000000000, nanoseconds % 1000000000}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
}

void belay_keep_freed_memory(size_t size) {
    // volatile: else the compiler sees that nothing comes of it.
    void *volatile piece = malloc(size);
    free(piece);
}

int belay_start_detached_thread(void *(*body)(void *), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_t attributes;
    int failure = pthread_attr_init(&attributes);
    if (failure != 0) return failure;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    failure = pthread_create(&thread, &attributes, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failure;
}

static const int belay_watched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
enum { belay_watched_count = sizeof belay_watched / sizeof *belay_watched };
// A handler is told nothing but the number. These are in use only during a watch.
static struct sigaction belay_signals_before[belay_watched_count];
static atomic_int belay_signals_pipe = -1;
static atomic_flag belay_signals_taken = ATOMIC_FLAG_INIT;

static void belay_signals_note(int number) {
    int before = errno;
    unsigned char byte = (unsigned char)number;
    int pipe = atomic_load(&belay_signals_pipe);
    // A full pipe has told enough.
    if (pipe >= 0 && write(pipe, &byte, 1) < 0) errno = before;
    errno = before;
}

int belay_signals_begin(void) {
    if (atomic_flag_test_and_set(&belay_signals_taken)) return -1;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        atomic_flag_clear(&belay_signals_taken);
        return -1;
    }
    atomic_store(&belay_signals_pipe, ends[1]);
    for (int index = 0; index < belay_watched_count; index++) {
        struct sigaction noting = {.sa_handler = belay_signals_note, .sa_flags = SA_RESTART};
        sigfillset(&noting.sa_mask);
        sigaction(belay_watched[index], NULL, &belay_signals_before[index]);
        if (belay_signals_before[index].sa_handler != SIG_IGN) sigaction(belay_watched[index], &noting, NULL);
    }
    return ends[0];
}

int belay_signals_end(int descriptor) {
    if (descriptor < 0) return 0;
    for (int index = 0; index < belay_watched_count; index++) {
        sigaction(belay_watched[index], &belay_signals_before[index], NULL);
    }
    unsigned char byte = 0;
    int number = read(descriptor, &byte, 1) == 1 ? byte : 0;
    close(atomic_exchange(&belay_signals_pipe, -1));
    close(descriptor);
    atomic_flag_clear(&belay_signals_taken);
    return number;
}

int belay_rename_in_folder(int folder, const char *from, const char *to, int replacing) {
    if (replacing) return renameat(folder, from, folder, to);
    if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    // A file system without it. A second name for the file is as safe: it never takes one that is there.
    if (linkat(folder, from, folder, to, 0) != 0) return -1;
    return unlinkat(folder, from, 0);
}
