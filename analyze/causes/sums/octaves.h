/* analyze/causes/sums/octaves.h - how large the excesses of a label on a location were: counts by
 * powers of two, the octaves, and samples of each. An excess is how much longer a rank took in one
 * instance than the others, in ns, with the waiting that it caused. Which excesses become samples
 * follows from their draws alone, never from the order in which they come.
 *
 * RATIONALE: very many labels on locations have few excesses each. These are kept as they came,
 * three in a cache line: to add one writes to one line. If there are more, they become octaves.
 * Their counts and bounds, which each excess needs, lie together; the samples lie elsewhere, as few
 * excesses become one. */
#ifndef SYN_CAUSE_OCTAVES_H
#define SYN_CAUSE_OCTAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes/sums/slabs.h"
#include "sync/base/bytes.h"

#define SYN_OCTAVES        52 /* the last one has all excesses beyond it, too */
#define SYN_OCTAVE_SAMPLES 24 /* how many samples of an octave are left at the end, at most */
#define SYN_OCTAVE_ROOM    48 /* how many it holds before its bound is lowered */

struct syn_cause_octave {
    int64_t count, waiting_ns;
    uint64_t below; /* all smaller draws are kept: among them are the SYN_OCTAVE_SAMPLES smallest
                       of all, if there are as many */
    struct syn_cause_drawn {
        uint64_t draw;
        int64_t excess_ns;
    } * sample; /* [sample_count] of sample_room */
    uint32_t sample_count, sample_room;
};

/* The excesses of a label on a location; NULL: none. They have one of the two forms that follow,
 * which begin with this struct. */
struct syn_octaves {
    uint32_t few_count; /* above 0: the form is few, with so many excesses; 0: the form is many */
};

#define SYN_LINE_EXCESSES 3
#define SYN_EXCESSES_FEW  SYN_OCTAVE_SAMPLES /* the most of this form: so all are samples */
/* One cache line of the few form. */
struct syn_few_excesses {
    struct syn_octaves octaves; /* counts the lines before as well */
    uint32_t count;             /* in this line; 0 only inside syn_octaves_add */
    struct syn_few_excesses *before;
    struct syn_few_excess {
        uint64_t draw;
        uint32_t excess_ns, waiting_ns;
    } at[SYN_LINE_EXCESSES]; /* [count] */
};
_Static_assert(sizeof(struct syn_few_excesses) == SYN_LINE_BYTES, "it is one cache line");

/* The many form: only those octaves that have excesses. */
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

/* The octaves that have excesses, ascending, of both forms. */
struct syn_octave_list {
    uint32_t count;
    uint8_t octave[SYN_OCTAVES];
    struct syn_cause_octave at[SYN_OCTAVES];
    struct syn_cause_drawn few[SYN_EXCESSES_FEW]; /* samples of the few form */
};
/* Lists octaves with their samples. The list is valid until octaves are changed, and is not to be
 * copied: it may point into itself. */
void syn_octaves_list(struct syn_octaves *octaves, struct syn_octave_list *out);

/* The octaves without samples. Elements of an octave are valid if its bit is set. */
struct syn_octave_sums {
    uint64_t present; /* bit o: octave o has excesses */
    int64_t count[SYN_OCTAVES], waiting_ns[SYN_OCTAVES];
};
void syn_octaves_sum(const struct syn_octaves *octaves, struct syn_octave_sums *out);

struct syn_excess {
    int64_t excess_ns, waiting_ns;
    uint64_t draw; /* as good as random, the same wherever it is made */
};
/* Returns the octave of an excess: its binary logarithm, rounded down; 0 up to 1 ns. */
static inline unsigned syn_octave_of(int64_t ns)
{
    const unsigned octave = ns > 0 ? 63u - (unsigned)__builtin_clzll((uint64_t)ns) : 0;
    return octave < SYN_OCTAVES ? octave : SYN_OCTAVES - 1;
}
/* Adds an excess. All memory of octaves is the slabs'. Returns 0 or SYN_ENOMEM. */
int syn_octaves_add(struct syn_slabs *slabs, struct syn_octaves **octaves,
                    const struct syn_excess *excess);
/* Can an excess be added to the newest line of the few form? */
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
/* Lowers octave->below, and drops the samples that are not under it. The octave is full: it has
 * SYN_OCTAVE_ROOM samples. */
void syn_octave_lower(struct syn_cause_octave *octave);
/* Adds all excesses of `from`, which stays as it is. Returns 0 or SYN_ENOMEM. */
int syn_octaves_merge(struct syn_slabs *slabs, struct syn_octaves **into, struct syn_octaves *from);
/* Once all excesses are added: sorts samples by draw, and drops those beyond SYN_OCTAVE_SAMPLES. */
void syn_octaves_finish(struct syn_octaves *octaves);

#endif
