// MeasuredRun COUNT INPUT PROGRAM ARGUMENT...
//
// Runs a program COUNT times, one after the other, with INPUT as its standard input and its output thrown away, and prints a line
// for each run: seconds by the clock, seconds of processor time, peak memory in kilobytes, exit status.
//
// A program of its own because it is small: a process inherits the peak memory of the one that starts it.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

static int run(char *const arguments[], const char *input) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t child;
    double start = now();
    error = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return error;
    int status;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) return errno;
    }
    double wall = now() - start;
    printf("%.6f %.6f %ld %d\n", wall, seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}

int main(int count, char *arguments[]) {
    if (count < 4) return fprintf(stderr, "usage: MeasuredRun COUNT INPUT PROGRAM ARGUMENT...\n"), 2;
    for (int round = atoi(arguments[1]); round > 0; round -= 1) {
        int error = run(arguments + 3, arguments[2]);
        if (error != 0) return fprintf(stderr, "%s: %s\n", arguments[3], strerror(error)), 1;
    }
    return 0;
}
