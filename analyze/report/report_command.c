/* analyze/report/report_command.c - `syncopate report`. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../sync/status.h"
#include "../command.h"
#include "../print/output.h"
#include "../threads.h"
#include "report.h"
#include "report_command.h"

static const char help[] =
    "usage: syncopate report [OPTION...] TRACE...\n\n"
    "Where the time of an MPI program went in its collectives, and who was late.\n"
    "TRACE is a trace or an experiment (a directory of run-0001, run-0002, ...).\n\n"
    "  --format FORMAT    text (default), json, csv or html\n"
    "  -o FILE            write there instead of to standard output\n"
    "  --by KEYS          group by these, of op,site,comm,bytes,root,rank,node,run,phase\n"
    "                     (default op,site,comm,bytes)\n"
    "  --confidence C     of the intervals (default 0.95)\n"
    "  --ci METHOD        of the medians' intervals: order (default; order statistics),\n"
    "                     exact (binomial), bootstrap, or block (bootstrap of blocks,\n"
    "                     for calls that depend on one another)\n"
    "  --seed N           of the bootstrap (default 1): equal seeds, equal intervals\n"
    "  --precision SHARE  how many calls would give medians to within this, such as 5%\n"
    "  --skip-warmup      leave out the calls before a group settles\n"
    "  --pairs            which ranks differ from which (not in CSV)\n"
    "  --class LIST       only these kinds of collectives, of data,comm,window,file:\n"
    "                     on data, making and freeing communicators, windows, files\n"
    "                     (default: all that there are)\n"
    "  --sort KEY         total (default), wait, instances, incomplete, a metric\n"
    "                     (completion, spread, operation, exit_skew, local_max) or\n"
    "                     a figure of one (completion.p99); largest first\n"
    "  --top N            rows of the text's table (default 20; 0: all)\n"
    "  --all              also the instances that are left out otherwise: started late\n"
    "                     (record --align window), or the profiler paused in them\n"
    "  --memory SIZE      for the analysis (default half of the machine's); beyond\n"
    "                     it, columns go to a temporary file in TMPDIR\n"
    "  --threads N        (default: one for each processor)\n"
    "  --help             this text\n\n"
    "What the words and figures mean: docs/reports.md (in share/doc/syncopate).\n";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_HTML, FORMAT_COUNT };

struct request {
    enum format format;
    const char *output;
    struct syn_report_options options;
};

static int parse_format(const char *name, enum format *out)
{
    static const char *const names[FORMAT_COUNT] = {"text", "json", "csv", "html"};
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum format)i;
            return 0;
        }
    }
    return SYN_EINVAL;
}

/* "data,comm" to the others. */
static int parse_classes(const char *list, unsigned *hidden)
{
    char copy[64], *rest = NULL;
    unsigned shown = 0;
    if (strlen(list) >= sizeof copy)
        return SYN_EINVAL;
    strcpy(copy, list);
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        enum syn_op_class class;
        if (syn_class_parse(name, &class))
            return SYN_EINVAL;
        shown |= SYN_HIDE(class);
    }
    *hidden = ~shown;
    return shown ? 0 : SYN_EINVAL;
}

static int parse_option(int code, const char *value, struct request *request)
{
    double number;
    switch (code) {
    case 'f':
        return parse_format(value, &request->format)
                   ? syn_bad_usage("report", "--format %s: not text, json, csv or html", value)
                   : 0;
    case 'o':
        request->output = value;
        return 0;
    case 'b':
        return syn_keys_parse(value, &request->options.by)
                   ? syn_bad_usage(
                         "report",
                         "--by %s: not a list of op,site,comm,bytes,root,rank,node,run,phase",
                         value)
                   : 0;
    case 'c':
        if (syn_parse_number(value, 0.5, 0.999999, &request->options.confidence))
            return syn_bad_usage("report", "--confidence %s: not in 0.5 .. 0.999999", value);
        return 0;
    case 's':
        request->options.sort = value;
        return syn_report_sort_key(value)
                   ? syn_bad_usage("report", "--sort %s: no such figure", value)
                   : 0;
    case 'a':
        request->options.all = true;
        return 0;
    case 'k':
        return parse_classes(value, &request->options.hidden_classes)
                   ? syn_bad_usage("report", "--class %s: not a list of data,comm,window,file",
                                   value)
                   : 0;
    case 'w':
        request->options.skip_warmup = true;
        return 0;
    case 'p':
        request->options.pairs = true;
        return 0;
    case 'i':
        return syn_ci_parse(value, &request->options.ci)
                   ? syn_bad_usage("report", "--ci %s: not order, exact, bootstrap or block", value)
                   : 0;
    case 'e':
        return syn_share_parse(value, &request->options.precision) ||
                       request->options.precision == 0
                   ? syn_bad_usage("report", "--precision %s: expected a share such as 5%% or 0.05",
                                   value)
                   : 0;
    case 'd':
        if (syn_parse_number(value, 0, 9007199254740992.0, &number) || number != floor(number))
            return syn_bad_usage("report", "--seed %s: expected a whole number", value);
        request->options.seed = (uint64_t)number;
        return 0;
    case 'm':
        return syn_parse_bytes(value, (size_t)1 << 20, &request->options.memory_bytes)
                   ? syn_bad_usage("report", "--memory %s: not a size of at least 1M", value)
                   : 0;
    case 'j':
        if (syn_parse_number(value, 1, SYN_THREADS_MAX, &number))
            return syn_bad_usage("report", "--threads %s: not a number of threads", value);
        syn_thread_count_set((size_t)number);
        return 0;
    default: /* 't' */
        if (syn_parse_number(value, 0, 1e9, &number))
            return syn_bad_usage("report", "--top %s: not a number of rows", value);
        request->options.top = (size_t)number;
        return 0;
    }
}

/* Returns 0 to go on, else -1 - the exit status. */
static int parse(int argc, char **argv, struct request *request)
{
    static const struct option options[] = {{"format", required_argument, NULL, 'f'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"by", required_argument, NULL, 'b'},
                                            {"confidence", required_argument, NULL, 'c'},
                                            {"sort", required_argument, NULL, 's'},
                                            {"top", required_argument, NULL, 't'},
                                            {"all", no_argument, NULL, 'a'},
                                            {"ci", required_argument, NULL, 'i'},
                                            {"seed", required_argument, NULL, 'd'},
                                            {"precision", required_argument, NULL, 'e'},
                                            {"skip-warmup", no_argument, NULL, 'w'},
                                            {"pairs", no_argument, NULL, 'p'},
                                            {"memory", required_argument, NULL, 'm'},
                                            {"threads", required_argument, NULL, 'j'},
                                            {"class", required_argument, NULL, 'k'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    opterr = 0;
    optind = 1;
    for (int code; (code = getopt_long(argc, argv, ":o:h", options, NULL)) != -1;) {
        if (code == 'h')
            return printf("%s", help) < 0 ? -1 - SYN_EXIT_BAD : -1;
        if (code == '?' || code == ':')
            return -1 - syn_bad_option("report", argc, argv, code);
        int status = parse_option(code, optarg, request);
        if (status)
            return -1 - status;
    }
    if (optind == argc)
        return -1 - syn_bad_usage("report", "no trace given (see syncopate report --help)");
    return 0;
}

static int write_report(const struct syn_report *report, const struct request *request)
{
    struct syn_text text = {0};
    /* A launcher may give its processes terminals that are none. */
    struct syn_terminal terminal =
        syn_terminal_detect(request->output == NULL && !request->options.team);
    if (request->format == FORMAT_JSON)
        syn_report_json(report, &text);
    else if (request->format == FORMAT_CSV)
        syn_report_csv(report, &text);
    else if (request->format == FORMAT_HTML)
        syn_report_html(report, &text);
    else
        syn_report_text(report, &terminal, &text);
    int status = syn_output_text(request->output, &text);
    syn_text_free(&text);
    return status ? SYN_EXIT_BAD : SYN_EXIT_OK;
}

/* What is missing is said on stderr too: the report may have gone into a file. */
static void say_faults(const struct syn_report *report)
{
    for (size_t i = 0; i < report->unreadable_count; i++)
        syn_bad_input("%s", report->unreadable[i]);
    for (size_t i = 0; i < report->run_count; i++)
        for (size_t j = 0; j < report->run[i].fault_count; j++)
            syn_bad_input("%s", report->run[i].fault[j].text);
}

static int run(const struct request *request, char *const *paths, size_t path_count)
{
    struct syn_experiment experiment = {0};
    struct syn_report report;
    char *why = NULL;
    int status = syn_experiment_list(paths, path_count, &experiment, &why);
    if (status == 0)
        status = syn_report_make(&experiment, &request->options, &report, &why);
    syn_experiment_free(&experiment);
    if (status) {
        if (request->options.team && request->options.team->begun)
            syn_keep_silent(false); /* the others may not know */
        syn_bad_input("%s", why ? why : syn_status_text(status));
        free(why);
        return SYN_EXIT_BAD;
    }
    if (syn_team_helps(request->options.team)) {
        syn_report_free(&report);
        return SYN_EXIT_OK;
    }
    say_faults(&report);
    status = write_report(&report, request);
    syn_report_free(&report);
    return status;
}

int syn_team_report(int argc, char **argv, struct syn_team *team)
{
    struct request request = {
        .format = FORMAT_TEXT,
        .options = {.by = SYN_BY_DEFAULT,
                    .confidence = 0.95,
                    .sort = "total",
                    .top = 20,
                    .seed = 1,
                    .team = team},
    };
    int status = parse(argc, argv, &request);
    if (status)
        return -1 - status;
    return run(&request, argv + optind, (size_t)(argc - optind));
}

int syn_command_report(int argc, char **argv)
{
    return syn_team_report(argc, argv, NULL);
}
