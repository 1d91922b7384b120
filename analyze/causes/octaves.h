/* analyze/causes/octaves.h - how large excesses were: counts by powers of two, and of each a
 * sample. Which are drawn follows from their draws alone, never from the order that they come in.
 *
 * Very many labels on locations have few excesses each. These are kept as they came, three in a
 * line of the cache: one more writes to no other line. Where there are more of them, what is looked
 * at for each excess lies together, and the samples elsewhere: of those that are offered few are
 * kept. */
#ifndef SYN_CAUSE_OCTAVES_H
#define SYN_CAUSE_OCTAVES_H

#include <stdbool.h>
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

/* The excesses of a label on a location; NULL: none. It is one of the two that follow. */
struct syn_octaves {
    uint32_t few_count; /* so many, in lines; 0: they are in octaves */
};

#define SYN_LINE_EXCESSES 3
#define SYN_EXCESSES_FEW  SYN_OCTAVE_SAMPLES /* the most: so all of them are samples */
struct syn_few_excesses {
    struct syn_octaves octaves; /* with those of the lines before */
    uint32_t count;             /* in this line, from 1 on */
    struct syn_few_excesses *before;
    struct syn_few_excess {
        uint64_t draw;
        uint32_t excess_ns, waiting_ns;
    } at[SYN_LINE_EXCESSES]; /* [count] */
};
_Static_assert(sizeof(struct syn_few_excesses) == SYN_LINE_BYTES, "a line");

/* Only those octaves that have excesses. */
struct syn_many_excesses {
    struct syn_octaves octaves;
    uint32_t count, capacity;
    uint8_t place[SYN_OCTAVES];   /* 1 + index into `at`; 0: none */
    struct syn_cause_octave at[]; /* [count], in the order of their first excess */
};

static inline struct syn_few_excesses *syn_few_of(struct syn_octaves *octaves)
{
    return (struct syn_few_excesses *)octaves;
}
static inline struct syn_many_excesses *syn_many_of(struct syn_octaves *octaves)
{
    return (struct syn_many_excesses *)octaves;
}

/* The octaves that have excesses, ascending, whatever they are kept as. */
struct syn_octave_list {
    uint32_t count;
    uint8_t octave[SYN_OCTAVES];
    struct syn_cause_octave at[SYN_OCTAVES];
    struct syn_cause_drawn few[SYN_EXCESSES_FEW]; /* samples of those that are kept as they came */
};
/* Valid as long as both are. */
void syn_octaves_list(struct syn_octaves *octaves, struct syn_octave_list *out);

/* The octaves without samples. An octave's values are valid if its bit is set. */
struct syn_octave_sums {
    uint64_t present; /* bit o: octave o has excesses */
    int64_t count[SYN_OCTAVES], waiting_ns[SYN_OCTAVES];
};
void syn_octaves_sum(const struct syn_octaves *octaves, struct syn_octave_sums *out);

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
/* Is there room for one that is kept as it came? */
static inline bool syn_few_fits(const struct syn_few_excesses *few, const struct syn_excess *excess)
{
    return few->count < SYN_LINE_EXCESSES &&
           ((uint64_t)excess->excess_ns | (uint64_t)excess->waiting_ns) <= UINT32_MAX;
}
static inline void syn_few_add(struct syn_few_excesses *few, const struct syn_excess *excess)
{
    few->at[few->count++] = (struct syn_few_excess){excess->draw, (uint32_t)excess->excess_ns,
                                                    (uint32_t)excess->waiting_ns};
    few->octaves.few_count++;
}
/* It has SYN_OCTAVE_ROOM samples: fewer, below a lower bound. */
void syn_octave_lower(struct syn_cause_octave *octave);
int syn_octaves_merge(struct syn_slabs *slabs, struct syn_octaves **into, struct syn_octaves *from);
/* Nothing will be added any more: no more than SYN_OCTAVE_SAMPLES are left, in order. */
void syn_octaves_settle(struct syn_octaves *octaves);

/* For another process, and there, into NULL. Taking returns 0, SYN_ENOMEM, SYN_ETRANSPORT. */
void syn_octaves_put(struct syn_octaves *octaves, struct syn_bytes *out);
int syn_octaves_take(struct syn_take *take, struct syn_slabs *slabs, struct syn_octaves **into);

#endif
