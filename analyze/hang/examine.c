/* analyze/hang/examine.c - see examine.h. */
#include "analyze/hang/examine.h"

#include <math.h>
#include <string.h>

#include "analyze/hang/earlier.h"
#include "analyze/symbols/symbols.h"
#include "sync/base/status.h"

int syn_examine_begin(struct syn_examination *examination, const struct syn_examine_source *source)
{
    *examination = (struct syn_examination){
        .look = {.trace = source->trace,
                 .comms = source->comms,
                 .names = source->names,
                 .rank_names = &examination->rank_names,
                 .before = source->before},
        .names = source->names,
        .unended = source->before || source->goes_on || syn_is_unended(source->trace),
        .live = source->before != NULL,
        .goes_on = source->goes_on,
    };
    int status = syn_trace_names_open(source->trace, source->symbols, source->names,
                                      &examination->rank_names);
    if (status == SYN_OK)
        status = syn_disagreements_begin(&examination->disagreements, source->comms);
    examination->hang =
        (struct syn_hang){.state = SYN_HANG_HAS_ENDED, .longest_before_ns = -1, .chance = NAN};
    if (status == SYN_OK && examination->unended && !examination->goes_on)
        status = syn_look_add_open(&examination->look, &examination->disagreements);
    return status;
}

static int find_hang(struct syn_examination *examination, const struct syn_hang_options *options,
                     bool disagree)
{
    int status = syn_hang_look(&examination->look, &examination->looked);
    if (status == SYN_OK)
        status = syn_hang_find(&examination->looked.model, options, &examination->hang);
    if (status == SYN_OK)
        status =
            syn_hang_find_earlier(&examination->look, &examination->looked, &examination->hang);
    if (status == SYN_OK)
        syn_hang_judge(&examination->hang, &examination->looked.model, options, disagree);
    return status;
}

int syn_examine_end(struct syn_examination *examination, const struct syn_hang_options *options)
{
    const struct syn_mismatch_source source = {
        .trace = examination->look.trace,
        .comms = examination->look.comms,
        .names = examination->names,
        .rank_names = &examination->rank_names,
    };
    int status = syn_disagreements_settle(&examination->disagreements);
    if (status == SYN_OK)
        status =
            syn_mismatches_make(&source, &examination->disagreements, &examination->mismatches);
    if (status == SYN_OK && examination->unended && !examination->goes_on) {
        status =
            find_hang(examination, options, syn_disagreements_block(&examination->disagreements));
        /* Ranks that left by exit() have no open calls, and need none. */
        examination->exited =
            status == SYN_OK && examination->unended && !examination->looked.has_open_calls &&
            examination->hang.state == SYN_HANG_HAS_ENDED && examination->hang.unknown_count == 0;
        examination->unended = !examination->exited;
    }
    examination->has_hang = examination->unended && examination->looked.has_open_calls;
    syn_disagreements_end(&examination->disagreements);
    syn_trace_names_close(&examination->rank_names);
    return status;
}

int syn_examine(struct syn_examination *examination, const struct syn_examine_source *source,
                const struct syn_hang_options *options, bool match)
{
    int status = syn_examine_begin(examination, source);
    if (status == SYN_OK && match) {
        struct syn_match_totals totals;
        const struct syn_match request = {
            .trace = source->trace,
            .symbols = source->symbols,
            .names = source->names,
            .comms = source->comms,
            .disagreements = &examination->disagreements,
            .sink = {.ctx = examination},
        };
        status = syn_match_run(&request, &totals);
        syn_match_totals_free(&totals);
    }
    return status != SYN_OK ? status : syn_examine_end(examination, options);
}

void syn_examine_free(struct syn_examination *examination)
{
    syn_hang_free(&examination->hang);
    syn_looked_free(&examination->looked);
    syn_mismatches_free(&examination->mismatches);
    syn_disagreements_end(&examination->disagreements);
    syn_trace_names_close(&examination->rank_names);
    memset(examination, 0, sizeof *examination);
}

int syn_sight_begin(struct syn_sight *sight, struct syn_trace *trace, struct syn_trace *before,
                    struct syn_symbols *symbols, const struct syn_hang_options *options, bool match)
{
    *sight = (struct syn_sight){.symbols = symbols, .owns_symbols = !symbols};
    int status = symbols ? SYN_OK : syn_symbols_open(&sight->symbols);
    if (status == SYN_OK && !symbols)
        status = syn_symbols_take(sight->symbols, trace);
    if (status == SYN_OK)
        status = syn_comms_open(trace, &sight->names, &sight->comms);
    const struct syn_examine_source source = {.trace = trace,
                                              .before = before,
                                              .comms = &sight->comms,
                                              .names = &sight->names,
                                              .symbols = sight->symbols};
    return status == SYN_OK ? syn_examine(&sight->examination, &source, options, match) : status;
}

void syn_sight_end(struct syn_sight *sight)
{
    syn_examine_free(&sight->examination);
    syn_comms_close(&sight->comms);
    syn_names_free(&sight->names);
    if (sight->owns_symbols)
        syn_symbols_close(sight->symbols);
}

bool syn_examine_accuses(const struct syn_examination *examination)
{
    const enum syn_hang_state state = examination->hang.state;
    return examination->mismatches.count > 0 ||
           (examination->has_hang && (state == SYN_HANG_IS_STUCK || state == SYN_HANG_IS_WAITING));
}
