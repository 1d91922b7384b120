/* analyze/diff/page/diff_options.c - the table of options that `diff` and `compare` share. */
#include "analyze/diff/page/diff_options.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/print/command.h"
#include "sync/base/status.h"

struct syn_diff_request syn_diff_request_default(void)
{
    return (struct syn_diff_request){.format = "text",
                                     .options = {.metric = SYN_DIFF_METRIC_DEFAULT,
                                                 .by = SYN_BY_DEFAULT,
                                                 .alternative = SYN_TWO_SIDED,
                                                 .adjust = SYN_ADJUST_AUTO,
                                                 .confidence = 0.95,
                                                 .threshold = 0.02,
                                                 .top = 20}};
}

int syn_diff_take_format(const char *value, struct syn_diff_request *request)
{
    request->format = value;
    return syn_cli_choice(SYN_DIFF_FORMATS, value) < 0 ? SYN_EINVAL : 0;
}

static struct syn_diff_options *options_of(void *target)
{
    return &((struct syn_diff_request *)target)->options;
}

SYN_CLI_PARSE(take_metric, struct syn_diff_request, options.metric, syn_diff_metric_parse)

static int take_by(void *target, const char *value)
{
    static const unsigned taken = SYN_BY(SYN_KEY_OP) | SYN_BY(SYN_KEY_SITE) | SYN_BY(SYN_KEY_COMM) |
                                  SYN_BY(SYN_KEY_BYTES) | SYN_BY(SYN_KEY_ROOT) |
                                  SYN_BY(SYN_KEY_RANK) | SYN_BY(SYN_KEY_NODE);
    struct syn_diff_options *options = options_of(target);
    int status = SYN_OK;
    options->by = 0;
    options->without_pairs = true;
    for (const char *at = value; at && status == SYN_OK;) {
        const size_t length = strcspn(at, ",");
        SYN_FREED char *word = strndup(at, length);
        unsigned key = 0;
        if (word && strcmp(word, "pair") == 0)
            options->without_pairs = false;
        else
            status = word ? syn_keys_parse(word, &key) : SYN_ENOMEM;
        options->by |= key;
        at = at[length] ? at + length + 1 : NULL;
    }
    return status != SYN_OK ? status : options->by & ~taken ? SYN_EINVAL : 0;
}

static int take_quantiles(void *target, const char *value)
{
    return syn_diff_taus_parse(value, options_of(target)->tau, &options_of(target)->tau_count);
}

SYN_CLI_SET(take_skip_warmup, struct syn_diff_request, options.skip_warmup)

/* Words in the order of their enum. */
SYN_CLI_CHOOSE(take_sort, struct syn_diff_request, options.order, "verdict bytes change")
SYN_CLI_CHOOSE(take_alternative, struct syn_diff_request, options.alternative,
               "two-sided less greater")
SYN_CLI_CHOOSE(take_adjust, struct syn_diff_request, options.adjust, "holm bh maxt auto")
SYN_CLI_PARSE(take_threshold, struct syn_diff_request, options.threshold, syn_share_parse)
SYN_CLI_PARSE(take_confidence, struct syn_diff_request, options.confidence, syn_parse_confidence)
SYN_CLI_PARSE(take_fail_on, struct syn_diff_request, gate, syn_gate_parse)
SYN_CLI_PARSE(take_top, struct syn_diff_request, options.top, syn_parse_rows)
SYN_CLI_SET(take_aa, struct syn_diff_request, options.same_program)

const struct syn_cli_option syn_diff_cli_option[SYN_DIFF_OPTION_COUNT] = {
    {"metric", 0, "METRIC", "completion spread operation exit_skew local_max wait_share",
     "what is compared: completion (default), spread, operation, exit_skew, local_max or "
     "wait_share. By rank: operation (default), local_max or wait_share",
     "completion, spread, operation, exit_skew, local_max or wait_share", take_metric},
    {"by", 0, "KEYS", "op site comm bytes root rank node pair",
     "keys of a group, of op,site,comm,bytes,root,rank,node; of messages site and pair (of ranks). "
     "Default op,site,comm,bytes,pair",
     "a list of op,site,comm,bytes,root,rank,node,pair", take_by},
    {"quantiles", 0, "LIST", "", "compare these quantiles too (0.1,0.9,0.99)",
     "up to 16 numbers between 0 and 1, such as 0.1,0.5,0.99", take_quantiles},
    {"skip-warmup", 0, NULL, NULL, "leave out the first calls of a group, until it settles", NULL,
     take_skip_warmup},
    {"sort", 0, "ORDER", "verdict bytes change",
     "verdict (default): a table for each verdict. bytes: one table, by operation and size. "
     "change: one table, by change",
     "verdict, bytes or change", take_sort},
    {"alternative", 0, "ALT", "two-sided less greater",
     "two-sided (default), less (B is faster) or greater", "two-sided, less or greater",
     take_alternative},
    {"adjust", 0, "METHOD", "auto holm bh maxt",
     "adjustment of p over the groups: holm, bh, maxt (permutes whole runs, all groups at once) or "
     "auto (default): maxt where the runs are few for so many groups, else holm",
     "auto, holm, bh or maxt", take_adjust},
    {"threshold", 0, "SHARE", "", "changes up to this size do not count (default 2%)",
     "a share such as 2% or 0.02, below 1", take_threshold},
    {"confidence", 0, "C", "",
     "confidence of the intervals; the tests' level is 1 - C (default 0.95)",
     "a number in 0.5 .. 0.999999", take_confidence},
    {"fail-on", 0, "LIST", SYN_GATE_COMPLETION,
     "exit status 1 where one of these holds for certain. run-time=X%: the run is longer by more "
     "than X (default: the threshold). slower=X%: a group takes more than X of the run more. "
     "slower, faster, unclear, ...: a group has this verdict. slower-segment, faster-segment: the "
     "code between two calls has. slower-message, faster-message: the messages of a call site or a "
     "pair of ranks have. only-in-a, only-in-b: a group is in one side only. And where it "
     "cannot be told: unable=X%: X could not have been shown. nothing (part of every list about "
     "groups): no groups in common, too few runs, wrong clocks. A busy machine, if A and B were "
     "not recorded in turn",
     SYN_GATE_EXPECTED, take_fail_on},
    {"top", 0, "N", "", "rows of each table, 0 for all (default 20)", "a number of rows", take_top},
    {"aa", 0, NULL, NULL, "A and B are the same program: count what is claimed falsely", NULL,
     take_aa},
};

int syn_diff_options_check(const char *command, struct syn_diff_options *options)
{
    if (options->metric == SYN_DIFF_METRIC_DEFAULT)
        options->metric = syn_diff_metric_default(options->by);
    if (!syn_diff_metric_exists(options->metric, options->by))
        return syn_bad_usage(command,
                             "--metric %s: a rank's or a node's part of a call has none; take "
                             "%slocal_max or wait_share",
                             syn_diff_metric_name(options->metric),
                             options->by & SYN_BY(SYN_KEY_RANK) ? "operation, " : "");
    if (options->tau_count && options->metric == SYN_DIFF_WAIT_SHARE)
        return syn_bad_usage(command, "--quantiles: a run has one share of waiting, and no "
                                      "quantiles of it");
    return 0;
}
