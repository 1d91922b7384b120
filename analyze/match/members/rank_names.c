/* analyze/match/members/rank_names.c - looks up names of a rank's call stacks and phases. A lock
 * guards lookups; known numbers are read without it. */
#include "analyze/match/members/rank_names.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "sync/base/status.h"

/* The lock of all ranks, which share symbols and names. */
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

struct syn_rank_names *syn_rank_names_new(const struct syn_rank_file *file,
                                          struct syn_symbols *symbols, struct syn_names *names)
{
    const size_t stack_count = syn_rank_stack_count(file);
    struct syn_rank_names *of = calloc(1, sizeof *of + (stack_count + 1) * sizeof of->site[0]);
    if (!of)
        return NULL;
    of->file = file;
    of->symbols = symbols;
    of->names = names;
    of->stack_count = stack_count;
    return of;
}

void syn_rank_names_free(struct syn_rank_names *of)
{
    free(of);
}

int syn_trace_names_open(const struct syn_trace *trace, struct syn_symbols *symbols,
                         struct syn_names *names, struct syn_trace_names *out)
{
    *out = (struct syn_trace_names){.rank_count = syn_trace_size(trace)};
    out->rank = calloc((size_t)out->rank_count + 1, sizeof *out->rank);
    for (int32_t rank = 0; out->rank && rank < out->rank_count; rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        if (file && !(out->rank[rank] = syn_rank_names_new(file, symbols, names)))
            return SYN_ENOMEM;
    }
    return out->rank ? SYN_OK : SYN_ENOMEM;
}

void syn_trace_names_close(struct syn_trace_names *of)
{
    for (int32_t rank = 0; of->rank && rank < of->rank_count; rank++)
        syn_rank_names_free(of->rank[rank]);
    free(of->rank);
    *of = (struct syn_trace_names){0};
}

/* Stores a number. The caller holds the lock. After SYN_NO_NAME (no memory) the entry stays
 * unknown: number + 1 is 0. */
static uint32_t put_down(_Atomic uint32_t *place, uint32_t number)
{
    atomic_store_explicit(place, number + 1, memory_order_release);
    return number;
}
_Static_assert(SYN_NO_NAME + UINT32_C(1) == 0, "no name is what nobody wrote to");

/* Returns the number if another thread has stored it meanwhile, else SYN_NO_NAME. The caller holds
 * the lock. */
static uint32_t look_again(const _Atomic uint32_t *place)
{
    return atomic_load_explicit(place, memory_order_relaxed) - 1;
}

uint32_t syn_rank_names_find_site(struct syn_rank_names *of, size_t place)
{
    pthread_mutex_lock(&naming);
    uint32_t number = look_again(&of->site[place]);
    if (number == SYN_NO_NAME) {
        const char *label = of->symbols && place < of->stack_count
                                ? syn_symbols_site(of->symbols, of->file, (uint32_t)place)
                                : SYN_LABEL_UNKNOWN;
        number = put_down(&of->site[place], syn_names_site(of->names, label));
    }
    pthread_mutex_unlock(&naming);
    return number;
}

/* Returns the name of a phase; if the file lacks it, "phase." with its number. */
static const char *phase_name(const struct syn_rank_file *file, unsigned phase, char *key,
                              size_t bytes)
{
    snprintf(key, bytes, "phase.%u", phase);
    const char *name = phase ? syn_rank_meta(file, key) : "";
    return name ? name : key;
}

uint32_t syn_rank_names_find_phase(struct syn_rank_names *of, unsigned phase)
{
    char key[32];
    pthread_mutex_lock(&naming);
    uint32_t number = look_again(&of->phase[phase]);
    if (number == SYN_NO_NAME)
        number = put_down(&of->phase[phase],
                          syn_names_id(of->names, phase_name(of->file, phase, key, sizeof key)));
    pthread_mutex_unlock(&naming);
    return number;
}
