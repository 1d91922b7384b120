/* trace/dense_layout.h - where the parts of a DENSE payload end: a compressor does well to start a
 * new block there. */
#ifndef SYN_DENSE_LAYOUT_H
#define SYN_DENSE_LAYOUT_H

#include <stddef.h>

#include "sync/base/bytes.h"

#define SYN_DENSE_CUT_MAX 32

struct syn_dense_layout {
    size_t cuts[SYN_DENSE_CUT_MAX]; /* ascending offsets; the last is the payload's length */
    size_t cut_count;
};

/* The part that ends here is a block of its own. */
static inline void syn_dense_cut(struct syn_dense_layout *layout, const struct syn_bytes *out)
{
    if (layout->cut_count == 0 || layout->cuts[layout->cut_count - 1] != out->count)
        layout->cuts[layout->cut_count++] = out->count;
}

#endif
