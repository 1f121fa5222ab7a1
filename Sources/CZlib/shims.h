// zlib: inflating content of the gzip and deflate codings.
#ifndef BELAY_ZLIB_SHIMS_H
#define BELAY_ZLIB_SHIMS_H

// Input is not written to.
#define ZLIB_CONST
#include <zlib.h>

// A macro, which Swift does not import.
static inline int belay_inflate_begin(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

#endif
