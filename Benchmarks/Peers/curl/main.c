// curl-peer IN_FLIGHT SECONDS PROTOCOL ANCHORS SIZE URL
//
// Keeps IN_FLIGHT requests under way for SECONDS and prints one line: responses, seconds by the clock, seconds of processor time,
// peak memory in kilobytes. With 0 seconds it makes one request and prints nothing. PROTOCOL is 1.1 or 2; ANCHORS a file with the
// certificates to trust, or `none` to verify nothing; SIZE the length that every body must have.
//
// As fast as libcurl can be had: the socket interface over epoll, one reused easy handle a slot, no CA path (while one is set, each
// connection reads the whole system bundle anew), a connection cache as large as the number of slots, and over HTTP/2 as many
// connections as the streams of nginx's default limit need.
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

enum { EVENTS = 256, STREAMS_OF_A_CONNECTION = 128, WARM_UP_PARTS = 3 };

typedef struct {
    CURL *easy;
    curl_off_t received;
} slot;

typedef struct {
    CURLM *multi;
    int epoll;
    // When libcurl wants to be called again; negative for never.
    double due;
} engine;

static double clock_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double processor_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// Of this program alone: the maximum that getrusage gives is inherited from the program that started it.
static long peak_kilobytes(void) {
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL) return 0;
    char line[256];
    long peak = 0;
    while (fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmHWM: %ld", &peak) == 1) break;
    }
    fclose(status);
    return peak;
}

static void fail(const char *what, const char *detail) {
    fprintf(stderr, "curl-peer: %s: %s\n", what, detail);
    exit(1);
}

static size_t on_data(char *bytes, size_t size, size_t count, void *argument) {
    (void)bytes;
    ((slot *)argument)->received += (curl_off_t)(size * count);
    return size * count;
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *argument, void *known) {
    (void)easy;
    engine *self = argument;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(self->epoll, EPOLL_CTL_DEL, socket, NULL);
        curl_multi_assign(self->multi, socket, NULL);
        return 0;
    }
    struct epoll_event event = {.data.fd = socket};
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    epoll_ctl(self->epoll, known == NULL ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
    if (known == NULL) curl_multi_assign(self->multi, socket, self);
    return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *argument) {
    (void)multi;
    ((engine *)argument)->due = milliseconds < 0 ? -1 : clock_now() + (double)milliseconds / 1e3;
    return 0;
}

static void set_up(slot *slot, const char *protocol, const char *anchors, const char *url) {
    CURL *easy = slot->easy = curl_easy_init();
    if (easy == NULL) fail("curl_easy_init", "no handle");
    bool multiplexed = strcmp(protocol, "2") == 0;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, slot);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, multiplexed ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, multiplexed ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_data);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, slot);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    bool verifies = strcmp(anchors, "none") != 0;
    curl_easy_setopt(easy, CURLOPT_CAINFO, verifies ? anchors : NULL);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, verifies ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, verifies ? 2L : 0L);
}

// How many transfers ended since the last call; those that are to go on have begun again.
static long take_ended(engine *self, curl_off_t size, bool again) {
    long ended = 0;
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(self->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL *easy = message->easy_handle;
        if (message->data.result != CURLE_OK) fail("transfer", curl_easy_strerror(message->data.result));
        slot *slot;
        long status;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&slot);
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        if (status != 200 || slot->received != size) fail("response", "not the file that was expected");
        ended += 1;
        slot->received = 0;
        curl_multi_remove_handle(self->multi, easy);
        if (again) curl_multi_add_handle(self->multi, easy);
    }
    return ended;
}

static void turn(engine *self) {
    struct epoll_event events[EVENTS];
    int running, wait = -1;
    if (self->due >= 0) {
        double left = self->due - clock_now();
        wait = left <= 0 ? 0 : (int)(left * 1e3) + 1;
    }
    int count = epoll_wait(self->epoll, events, EVENTS, wait);
    for (int index = 0; index < count; index += 1) {
        unsigned bits = events[index].events;
        int action = (bits & EPOLLIN ? CURL_CSELECT_IN : 0) | (bits & EPOLLOUT ? CURL_CSELECT_OUT : 0)
            | (bits & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(self->multi, events[index].data.fd, action, &running);
    }
    if (self->due >= 0 && clock_now() >= self->due) {
        self->due = -1;
        curl_multi_socket_action(self->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

int main(int count, char *arguments[]) {
    if (count != 7) fail("usage", "curl-peer IN_FLIGHT SECONDS PROTOCOL ANCHORS SIZE URL");
    long slots = atol(arguments[1]);
    double seconds = atof(arguments[2]);
    curl_off_t size = atoll(arguments[5]);
    bool once = seconds <= 0;
    if (slots < 1 || once) slots = 1;

    curl_global_init(CURL_GLOBAL_DEFAULT);
    engine self = {.multi = curl_multi_init(), .epoll = epoll_create1(EPOLL_CLOEXEC), .due = -1};
    curl_multi_setopt(self.multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(self.multi, CURLMOPT_SOCKETDATA, &self);
    curl_multi_setopt(self.multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(self.multi, CURLMOPT_TIMERDATA, &self);
    curl_multi_setopt(self.multi, CURLMOPT_MAXCONNECTS, slots);
    if (strcmp(arguments[3], "2") == 0) {
        curl_multi_setopt(self.multi, CURLMOPT_MAX_HOST_CONNECTIONS,
                          (slots + STREAMS_OF_A_CONNECTION - 1) / STREAMS_OF_A_CONNECTION);
    }
    slot *all = calloc((size_t)slots, sizeof *all);
    if (all == NULL) fail("calloc", "no memory");
    for (long index = 0; index < slots; index += 1) {
        set_up(&all[index], arguments[3], arguments[4], arguments[6]);
        curl_multi_add_handle(self.multi, all[index].easy);
    }

    if (once) {
        while (take_ended(&self, size, false) == 0) turn(&self);
        return 0;
    }
    // The measured part begins when connections are made and caches are warm.
    double begin = clock_now() + seconds / WARM_UP_PARTS;
    long responses = 0;
    while (clock_now() < begin || responses < slots) {
        turn(&self);
        responses += take_ended(&self, size, true);
    }
    double start = clock_now(), processor = processor_now();
    responses = 0;
    while (clock_now() < start + seconds) {
        turn(&self);
        responses += take_ended(&self, size, true);
    }
    printf("%ld %.6f %.6f %ld\n", responses, clock_now() - start, processor_now() - processor, peak_kilobytes());
    return 0;
}
