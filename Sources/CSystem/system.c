#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <signal.h>
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

void belay_name_current_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
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

int belay_rename_in_folder(int folder, const char *from, const char *to, int replacing) {
    if (replacing) return renameat(folder, from, folder, to);
    if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    // A file system without it. A second name for the file is as safe: it never takes one that is there.
    if (linkat(folder, from, folder, to, 0) != 0) return -1;
    return unlinkat(folder, from, 0);
}
