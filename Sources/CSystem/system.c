#define _GNU_SOURCE
#include "CSystem.h"

#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

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

int belay_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

int belay_epoll_wait(int epoll, uint64_t *tokens, uint32_t *events, int capacity) {
    struct epoll_event found[64];
    int count = epoll_wait(epoll, found, capacity < 64 ? capacity : 64, -1);
    for (int index = 0; index < count; index++) {
        tokens[index] = found[index].data.u64;
        events[index] = found[index].events;
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
