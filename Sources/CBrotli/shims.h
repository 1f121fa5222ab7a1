// Brotli: unpacking content of the br coding (RFC 7932).
#include <brotli/decode.h>
