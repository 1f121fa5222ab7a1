// Linux calls that Swift's Glibc module leaves out (GNU extensions and variadic functions).
#ifndef BELAY_CSYSTEM_H
#define BELAY_CSYSTEM_H

int belay_accept_nonblocking(int listener);
int belay_set_nonblocking(int descriptor);
void belay_name_current_thread(const char *name);

#endif
