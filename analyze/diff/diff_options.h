/* analyze/diff/diff_options.h - the options that `diff` and `compare` share. */
#ifndef SYN_DIFF_OPTIONS_H
#define SYN_DIFF_OPTIONS_H

#include <getopt.h>

#include "diff.h"

enum {
    SYN_DIFF_METRIC = 1000,
    SYN_DIFF_ALTERNATIVE,
    SYN_DIFF_ADJUST,
    SYN_DIFF_THRESHOLD,
    SYN_DIFF_CONFIDENCE,
    SYN_DIFF_FAIL_ON,
    SYN_DIFF_TOP,
    SYN_DIFF_BY,
    SYN_DIFF_SORT,
    SYN_DIFF_QUANTILES,
    SYN_DIFF_SKIP_WARMUP
};

/* Rows of a table for getopt_long. */
#define SYN_DIFF_LONG_OPTIONS                                           \
    {"metric", required_argument, NULL, SYN_DIFF_METRIC},               \
        {"alternative", required_argument, NULL, SYN_DIFF_ALTERNATIVE}, \
        {"adjust", required_argument, NULL, SYN_DIFF_ADJUST},           \
        {"threshold", required_argument, NULL, SYN_DIFF_THRESHOLD},     \
        {"confidence", required_argument, NULL, SYN_DIFF_CONFIDENCE},   \
        {"fail-on", required_argument, NULL, SYN_DIFF_FAIL_ON},         \
        {"by", required_argument, NULL, SYN_DIFF_BY},                   \
        {"sort", required_argument, NULL, SYN_DIFF_SORT},               \
        {"quantiles", required_argument, NULL, SYN_DIFF_QUANTILES},     \
        {"skip-warmup", no_argument, NULL, SYN_DIFF_SKIP_WARMUP},       \
    {                                                                   \
        "top", required_argument, NULL, SYN_DIFF_TOP                    \
    }

#define SYN_DIFF_OPTIONS_HELP                                                       \
    "  --metric METRIC    completion (default), spread, operation, exit_skew,\n"    \
    "                     local_max or wait_share; by rank: operation (default),\n" \
    "                     local_max or wait_share\n"                                \
    "  --by KEYS          compare groups by these, of op,site,comm,bytes,root,\n"   \
    "                     rank,node (default op,site,comm,bytes)\n"                 \
    "  --quantiles LIST   compare these quantiles too, for example 0.1,0.9,0.99\n"  \
    "  --skip-warmup      leave out the calls before a group settles\n"             \
    "  --sort ORDER       verdict (default: a table for each), bytes or change:\n"  \
    "                     one table, by operation and size or by change\n"          \
    "  --alternative ALT  two-sided (default), less (B is faster) or greater\n"     \
    "  --adjust METHOD    of p over the groups: holm (default) or bh\n"             \
    "  --threshold SHARE  changes that do not count (default 2%)\n"                 \
    "  --confidence C     of intervals, 1 - the tests' level (default 0.95)\n"      \
    "  --fail-on LIST     exit status 1 where a group's verdict is of these:\n"     \
    "                     slower, faster, unclear, ...\n"                           \
    "  --top N            rows of each of the text's tables (default 20; 0: all)\n"

struct syn_diff_options syn_diff_options_default(void);
/* One of them. Returns 0, or the exit status after one line on stderr. */
int syn_diff_option(const char *command, int code, const char *value,
                    struct syn_diff_options *options, unsigned *fail_on);
/* After the last of them: what one leaves open is chosen, what contradicts another refused. Returns
 * as syn_diff_option. */
int syn_diff_options_check(const char *command, struct syn_diff_options *options);

#endif
