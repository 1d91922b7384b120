/* analyze/report/findings/report_hang.c - writes the section on a run that did not end, or whose
 * ranks made different calls. A report begins with this section. */
#include "analyze/report/findings/report_parts.h"

#include "analyze/hang/page/hang_page.h"

/* Least duration of a run that did not end, and of a typical run, to say why ranks waited. */
#define SEEN_LEAST_NS  INT64_C(1000000000)
#define ENDED_LEAST_NS 1e6

void syn_report_hang_section(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    for (size_t i = 0; i < report->run_count; i++) {
        const struct syn_run_facts *run = &report->run[i];
        if (!run->examination.has_hang && !run->examination.look.goes_on &&
            run->examination.mismatches.count == 0)
            continue;
        if (report->run_count > 1)
            syn_say(doc, "Run {n}:", run->run);
        if (run->examination.look.goes_on)
            syn_say(doc, "The run goes on: syncopate hang {shell} says who is waited for.",
                    run->directory);
        syn_hang_write(doc, &run->examination);
        if (!run->examination.has_hang)
            continue;
        syn_doc_heading(doc, "The time before");
        syn_say(doc, "All that follows is about the {time} before: calls that have returned.",
                run->duration_ns);
        if (!syn_report_has_seen_enough(report))
            syn_say_more(doc, " That is too little to say why ranks waited.");
        syn_say_line(doc, "");
    }
}

bool syn_report_has_seen_enough(const void *facts)
{
    const struct syn_report *report = facts;
    for (size_t i = 0; i < report->run_count; i++) {
        const struct syn_run_facts *run = &report->run[i];
        if ((run->examination.has_hang || run->examination.look.goes_on) &&
            (run->duration_ns < SEEN_LEAST_NS || run->duration_ns < run->examination.hang.for_ns))
            return false;
    }
    return syn_facts_run_ns(syn_report_typical(report)) >= ENDED_LEAST_NS;
}
