/* analyze/match/members/rank_names.h - names of a rank's call stacks and phases, as numbers. A name
 * is looked up at its first use. All threads that read the rank's events share the numbers. A
 * number only changes from unknown to known, so known numbers are read without a lock. */
#ifndef SYN_RANK_NAMES_H
#define SYN_RANK_NAMES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/names.h"
#include "analyze/symbols/symbols.h"
#include "sync/base/integers.h"
#include "trace/read/reader.h"

#define SYN_PHASE_COUNT 256

struct syn_rank_names {
    const struct syn_rank_file *file;
    struct syn_symbols *symbols;
    struct syn_names *names;
    size_t stack_count;
    /* number of the name + 1; 0: not looked up yet */
    _Atomic uint32_t phase[SYN_PHASE_COUNT];
    _Atomic uint32_t site[]; /* [stack_count + 1]; the last one is for events without a stack */
};

/* Returns the names of one rank, none looked up yet. Borrows `symbols` (NULL: all call sites are
 * SYN_LABEL_UNKNOWN) and `names`. Each lookup changes both, so no other code may use `symbols` at
 * that time. NULL: no memory. */
struct syn_rank_names *syn_rank_names_new(const struct syn_rank_file *file,
                                          struct syn_symbols *symbols, struct syn_names *names);
void syn_rank_names_free(struct syn_rank_names *of); /* `of` may be NULL */

/* Names of all readable ranks of a trace. All threads that read the trace share them. */
struct syn_trace_names {
    struct syn_rank_names **rank; /* [rank_count]; NULL: the rank is not readable */
    int32_t rank_count;
};
/* Returns 0 or SYN_ENOMEM. The caller closes it in any case. */
int syn_trace_names_open(const struct syn_trace *trace, struct syn_symbols *symbols,
                         struct syn_names *names, struct syn_trace_names *out);
void syn_trace_names_close(struct syn_trace_names *of);

/* Return the name number of a call stack's call site. SYN_NO_NAME: no memory. Any thread may call
 * them. */
uint32_t syn_rank_names_find_site(struct syn_rank_names *of, size_t place);
static inline uint32_t syn_rank_names_site(struct syn_rank_names *of, uint32_t stack)
{
    const size_t place = syn_least(stack, of->stack_count);
    const uint32_t known = atomic_load_explicit(&of->site[place], memory_order_acquire);
    return __builtin_expect(known != 0, 1) ? known - 1 : syn_rank_names_find_site(of, place);
}
/* Return the name number of a phase, likewise. The name of phase 0 is empty. */
uint32_t syn_rank_names_find_phase(struct syn_rank_names *of, unsigned phase);
static inline uint32_t syn_rank_names_phase(struct syn_rank_names *of, unsigned phase)
{
    const uint32_t known = atomic_load_explicit(&of->phase[phase], memory_order_acquire);
    return __builtin_expect(known != 0, 1) ? known - 1 : syn_rank_names_find_phase(of, phase);
}

#endif
