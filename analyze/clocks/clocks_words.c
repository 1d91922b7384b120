/* analyze/clocks/clocks_words.c - tells in words whether the clocks ran as they were measured. */
#include <inttypes.h>

#include "analyze/clocks/clocks.h"
#include "analyze/print/text.h"
#include "analyze/print/units.h"

bool syn_clocks_are_wrong(const struct syn_clock_check *check, const struct syn_causality *now)
{
    return check->contradicted_count + check->bent_count + check->drifted_count > 0 ||
           syn_clocks_are_lost(now);
}

bool syn_clocks_are_lost(const struct syn_causality *now)
{
    return now->violation_count > 0;
}

bool syn_clocks_can_order(const struct syn_clock_check *check, const struct syn_causality *now)
{
    return !syn_clocks_are_lost(now) && check->uncompared_count == 0;
}

static void write_violations(const struct syn_causality *causality, struct syn_text *out)
{
    char by[SYN_UNIT_BYTES];
    if (causality->violation_count == 0) {
        syn_text_string(out, "the program's own collectives show it. ");
        return;
    }
    syn_text_format(out,
                    "in %" PRIu64 " of %" PRIu64
                    " synchronizing collectives a rank leaves before the last has come, by up to "
                    "%s. ",
                    causality->violation_count, causality->checked_count,
                    syn_unit_time(by, (double)causality->worst_ns));
}

/* Tells violations and corrections first, then clocks whose drift has changed. */
void syn_clocks_write(const struct syn_clock_check *check, const struct syn_causality *now,
                      struct syn_text *out)
{
    if (!syn_clocks_are_wrong(check, now))
        return;
    syn_text_string(out, "THE CLOCKS DID NOT RUN AS THEY WERE MEASURED: ");
    if (syn_clocks_are_lost(now)) {
        write_violations(now, out);
        syn_text_string(out, "Nothing that compares times of different ranks is to be trusted.");
        return;
    }
    if (check->contradicted_count + check->bent_count > 0) {
        write_violations(&check->causality, out);
        char shift[SYN_UNIT_BYTES], step[SYN_UNIT_BYTES];
        if (check->step_count > 0)
            syn_text_format(out,
                            "It looks as if clocks had been set %" PRId32 " time%s, by up to %s. ",
                            check->step_count, check->step_count == 1 ? "" : "s",
                            syn_unit_time(step, (double)check->largest_step_ns));
        syn_text_format(out,
                        "What these collectives say of %" PRId32
                        " clock%s took the place of the measurements: times were moved by up to %s "
                        "(most on rank %" PRId32 "), and the bounds are those that follow.",
                        check->mended_count, check->mended_count == 1 ? "" : "s",
                        syn_unit_time(shift, (double)check->largest_shift_ns), check->worst_rank);
    }
    char bound[SYN_UNIT_BYTES];
    if (check->drifted_count == 0)
        return;
    if (check->contradicted_count + check->bent_count > 0)
        syn_text_char(out, ' ');
    syn_text_format(out,
                    "the drift of %" PRId32 " clock%s changed between the run's begin and its end, "
                    "and nothing shows when: the bounds have grown, to %s on rank %" PRId32
                    " (record --resync 5 measures in between).",
                    check->drifted_count, check->drifted_count == 1 ? "" : "s",
                    syn_unit_time(bound, (double)check->drifted_bound_ns), check->drifted_rank);
}

const char *syn_clocks_verdict(const struct syn_clock_check *check, const struct syn_causality *now)
{
    return syn_clocks_are_lost(now)                            ? "lost"
           : check->uncompared_count > 0                       ? "never compared"
           : check->contradicted_count + check->bent_count > 0 ? "mended"
           : check->drifted_count > 0                          ? "drifted"
           : check->tightened_count > 0                        ? "tightened"
                                                               : "as measured";
}
