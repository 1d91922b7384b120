/* analyze/info/rules.h - the twelve rules of Hoefler & Belli 2015 ("Scientific Benchmarking
 * of Parallel Computing Systems") as a check: how a trace and its report meet each, or what is
 * missing. Every verdict is computed of the trace at hand; what only the author of a paper can know
 * is left open. */
#ifndef SYN_RULES_H
#define SYN_RULES_H

#include "analyze/info/info.h"
#include "analyze/print/terminal.h"
#include "analyze/report/findings/report.h"

#define SYN_RULE_COUNT 12
#define SYN_RULE_LINES 8

enum syn_rule_status {
    SYN_RULE_MET,
    SYN_RULE_PARTLY,
    SYN_RULE_NOT_MET,
    SYN_RULE_OPEN /* the trace cannot tell: it is the author's to say */
};
/* "met", "partly", "not met", "open". */
const char *syn_rule_status_text(enum syn_rule_status status);

struct syn_rule {
    int number;
    const char *title; /* what it asks for, in a line */
    enum syn_rule_status status;
    char *found[SYN_RULE_LINES];   /* [found_count], what the trace and its report have; owned */
    char *missing[SYN_RULE_LINES]; /* [missing_count], what is missing, and how to get it; owned */
    size_t found_count, missing_count;
    bool failed; /* memory ran out: a line may be missing */
};

/* report: of all runs, by the default keys; info: of the first run. Returns 0 or SYN_ENOMEM; free
 * in any case. */
int syn_rules_judge(const struct syn_report *report, const struct syn_info *info,
                    struct syn_rule rule[SYN_RULE_COUNT]);
void syn_rules_free(struct syn_rule rule[SYN_RULE_COUNT]);

struct syn_json;
void syn_rules_text(const struct syn_rule rule[SYN_RULE_COUNT], const struct syn_report *report,
                    const struct syn_terminal *terminal, struct syn_text *text);
void syn_rules_json(const struct syn_rule rule[SYN_RULE_COUNT], struct syn_json *json);

#endif
