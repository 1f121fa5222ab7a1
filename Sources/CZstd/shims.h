// Zstandard: unpacking content of the zstd coding (RFC 8878).
#include <zstd.h>
