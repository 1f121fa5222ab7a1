#include "peers.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double seconds(struct timespec time) { return (double)time.tv_sec + (double)time.tv_nsec / 1e9; }
static double of_timeval(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

int peer_run(char *const arguments[], const char *input, peer_cost *cost) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    posix_spawn_file_actions_addopen(&actions, 0, input == NULL ? "/dev/null" : input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    struct timespec start, end;
    pid_t child;
    clock_gettime(CLOCK_MONOTONIC, &start);
    error = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return error;
    int status;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) return errno;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    cost->wall_seconds = seconds(end) - seconds(start);
    cost->cpu_seconds = of_timeval(usage.ru_utime) + of_timeval(usage.ru_stime);
    cost->peak_kilobytes = usage.ru_maxrss;
    cost->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return 0;
}
