/* analyze/info/rules.h - checks a trace and its report by the twelve rules of Hoefler & Belli 2015
 * ("Scientific Benchmarking of Parallel Computing Systems"). Every verdict is computed from the
 * trace. Questions that only the author of a paper can answer are left open. */
#ifndef SYN_RULES_H
#define SYN_RULES_H

#include "analyze/info/info.h"
#include "analyze/report/findings/report.h"

#define SYN_RULE_COUNT 12
#define SYN_RULE_LINES 8

enum syn_rule_status {
    SYN_RULE_MET,
    SYN_RULE_PARTLY,
    SYN_RULE_NOT_MET,
    SYN_RULE_OPEN /* the trace cannot tell; the author can */
};
/* Returns "met", "partly", "not met" or "open". */
const char *syn_rule_status_text(enum syn_rule_status status);

struct syn_rule {
    int number;
    const char *title; /* the demand of the rule, in a line */
    enum syn_rule_status status;
    char *found[SYN_RULE_LINES]; /* [found_count] sentences about facts that meet the rule; owned */
    char *missing[SYN_RULE_LINES]; /* [missing_count] sentences about facts that do not; owned */
    size_t found_count, missing_count;
    bool failed; /* memory ran out: a line may be missing */
};

/* Judges all rules. `report` is of all runs, by the default keys; `info` is of the first run.
 * Returns 0 or SYN_ENOMEM. The caller frees the rules in any case. */
int syn_rules_judge(const struct syn_report *report, const struct syn_info *info,
                    struct syn_rule rule[SYN_RULE_COUNT]);
void syn_rules_free(struct syn_rule rule[SYN_RULE_COUNT]);

struct syn_doc;
void syn_rules_page(const struct syn_rule rule[SYN_RULE_COUNT], const struct syn_report *report,
                    struct syn_doc *doc);

#endif
