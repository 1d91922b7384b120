/* analyze/causes/octaves.h - how large excesses were: counts by powers of two, and of each a
 * sample. Which are drawn follows from their draws alone, never from the order that they come in.
 *
 * What is looked at for each excess lies together, and the samples elsewhere: of those that are
 * offered few are kept. */
#ifndef SYN_CAUSE_OCTAVES_H
#define SYN_CAUSE_OCTAVES_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/causes/slabs.h"
#include "sync/base/bytes.h"

#define SYN_OCTAVES        52
#define SYN_OCTAVE_SAMPLES 24
#define SYN_OCTAVE_ROOM    48

struct syn_cause_octave {
    int64_t count, waiting_ns;
    uint64_t below; /* all draws that are smaller are kept: among them, if there are so many, the
                       smallest SYN_OCTAVE_SAMPLES */
    struct syn_cause_drawn {
        uint64_t draw;
        int64_t excess_ns;
    } * sample; /* [sample_count] of sample_room */
    uint32_t sample_count, sample_room;
};

/* Only those octaves that have excesses: of a label on a location there are few, and very many
 * labels and locations. NULL: none. */
struct syn_octaves {
    uint8_t place[SYN_OCTAVES]; /* 1 + index into `at`; 0: none */
    uint32_t count, capacity;
    struct syn_cause_octave at[]; /* [count], in the order of their first excess */
};
/* One without excesses where there is none. */
const struct syn_cause_octave *syn_octave_at(const struct syn_octaves *octaves, unsigned octave);

struct syn_excess {
    int64_t excess_ns, waiting_ns;
    uint64_t draw; /* as good as random, the same wherever it is made */
};
static inline unsigned syn_octave_of(int64_t ns)
{
    const unsigned octave = ns > 0 ? 63u - (unsigned)__builtin_clzll((uint64_t)ns) : 0;
    return octave < SYN_OCTAVES ? octave : SYN_OCTAVES - 1;
}
/* All memory of octaves is the slabs'. 0 or SYN_ENOMEM. */
int syn_octaves_add(struct syn_slabs *slabs, struct syn_octaves **octaves,
                    const struct syn_excess *excess);
/* It has SYN_OCTAVE_ROOM samples: fewer, below a lower bound. */
void syn_octave_lower(struct syn_cause_octave *octave);
int syn_octaves_merge(struct syn_slabs *slabs, struct syn_octaves **into,
                      const struct syn_octaves *from);
/* Nothing will be added any more: no more than SYN_OCTAVE_SAMPLES are left, in order. */
void syn_octaves_settle(struct syn_octaves *octaves);

/* For another process, and there, into NULL. Taking returns 0, SYN_ENOMEM, SYN_ETRANSPORT. */
void syn_octaves_put(const struct syn_octaves *octaves, struct syn_bytes *out);
int syn_octaves_take(struct syn_take *take, struct syn_slabs *slabs, struct syn_octaves **into);

#endif
