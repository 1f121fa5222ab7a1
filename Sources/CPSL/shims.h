// libpsl: the public suffix list.
#include <libpsl.h>
