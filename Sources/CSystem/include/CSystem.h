// Linux calls that Swift's Glibc module leaves out (GNU extensions and variadic functions).
#ifndef BELAY_CSYSTEM_H
#define BELAY_CSYSTEM_H

int belay_accept_nonblocking(int listener);
int belay_set_nonblocking(int descriptor);
void belay_name_current_thread(const char *name);
// Takes the numbers 0, 1 and 2 where the program was started without them, so that nothing else gets them. Reading from 0 fails there,
// also by the name /dev/stdin, and so does writing to 1 and 2, with EBADF. Whoever calls it has opened nothing yet. -1 where that cannot be done.
int belay_hold_standard_descriptors(void);

// Gives a file in a folder another name there, in one step; without replacing it fails with EEXIST where that name is taken.
int belay_rename_in_folder(int folder, const char *from, const char *to, int replacing);

#include <stddef.h>
#include <stdint.h>

// glibc gives memory back to the system as soon as 128 KiB of it are free at the end of a heap, and asks for it again with the next
// response, a fault for each page. It learns from large pieces: it keeps twice the largest one, at most 64 MiB, that was ever set free.
// This sets one of so many bytes free, which is never touched.
void belay_keep_freed_memory(size_t size);

// strdup(3), for libraries that take it as a hook; but on a thread that hides an environment variable it makes no copy of its value, which
// such a library takes for the variable not being there. NULL hides none. Changing the environment itself would not be safe: other
// threads read it at any time.
char *belay_copy_text(const char *text);
void belay_hide_variable(const char *name);

// epoll and its companions, with the packed event structure kept on this side.
int belay_epoll_create(void);
// Directions are bits: 1 to read, 2 to write. A descriptor is watched for one event, then must be watched anew.
int belay_epoll_watch_always(int epoll, int descriptor, uint64_t token);
int belay_epoll_watch_once(int epoll, int is_known, int descriptor, uint32_t directions, uint64_t token);
int belay_epoll_wait(int epoll, uint64_t *tokens, uint32_t *directions, int capacity);
// Watches a descriptor until told otherwise; its token is the descriptor. Without directions it is watched no longer.
int belay_epoll_watch(int epoll, int is_known, int descriptor, uint32_t directions);
// As belay_epoll_wait, for so many milliseconds at most (for ever when negative). An error or a hang-up also sets bit 4.
int belay_epoll_wait_until(int epoll, uint64_t *tokens, uint32_t *directions, int capacity, int milliseconds);
int belay_eventfd_create(void);
int belay_timerfd_create(void);
int belay_timerfd_arm(int timer, int64_t nanoseconds);
// A detached thread with every signal blocked, so that signals go to the threads that expect them.
int belay_start_detached_thread(void *(*body)(void *), void *argument);

// Holds up the signals that would end or stop the process; each writes its number into a pipe, of which the end to read is
// returned, or -1. Those that are ignored stay so. One watch at a time.
int belay_signals_begin(void);
// Ends the watch: signals do what they did before. Returns the number of one that came and was not read, or 0.
int belay_signals_end(int descriptor);

#endif
