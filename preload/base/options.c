/* preload/base/options.c - see options.h. */
#include "preload/base/options.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "preload/base/environment.h"
#include "preload/base/plain_locale.h"
#include "preload/base/say.h"
#include "trace/directory/lists.h"
#include "trace/directory/output_name.h"

#define BUFFER_BYTES_MIN ((uint64_t)64 << 10)

/* Parses an option's text and stores the value in its member. Returns 0, SYN_EINVAL or
 * SYN_ENOMEM. */
typedef int parse_function(const char *text, struct syn_options *options);

static int parse_whole(const char *text, long low, long high, long *value)
{
    char *end;
    const long parsed = strtol(text, &end, 10);
    if (end == text || *end || parsed < low || parsed > high)
        return SYN_EINVAL;
    *value = parsed;
    return SYN_OK;
}

static int parse_int(const char *text, long low, long high, int *value)
{
    long parsed;
    if (parse_whole(text, low, high, &parsed))
        return SYN_EINVAL;
    *value = (int)parsed;
    return SYN_OK;
}

int syn_options_parse_bytes(const char *text, uint64_t *bytes)
{
    if (!isdigit((unsigned char)*text))
        return SYN_EINVAL;
    char *end;
    const unsigned long long count = strtoull(text, &end, 10);
    static const char suffixes[] = "KMG";
    const char *suffix = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
    if (*end && (!suffix || end[1]))
        return SYN_EINVAL;
    const int shift = suffix ? 10 * (int)(suffix - suffixes + 1) : 0;
    if (count > UINT64_MAX >> (shift + 1))
        return SYN_EINVAL;
    *bytes = (uint64_t)count << shift;
    return SYN_OK;
}

static int mark_operations(char *list, bool selected, bool *recorded)
{
    char *rest = NULL, *name = strtok_r(list, ", ", &rest);
    if (!name)
        return SYN_EINVAL;
    for (; name; name = strtok_r(NULL, ", ", &rest))
        if (syn_ops_select(name, selected, recorded))
            return SYN_EINVAL;
    return SYN_OK;
}

int syn_options_parse_operations(const char *text, bool *recorded)
{
    bool marked[SYN_ROW_COUNT];
    const bool all_but = *text == '-' || *text == '^';
    const bool all = strcasecmp(text, "all") == 0;
    for (int row = 0; row < SYN_ROW_COUNT; row++)
        marked[row] = all || all_but;
    char *list = strdup(text + all_but);
    if (!list)
        return SYN_ENOMEM;
    const int status = all ? SYN_OK : mark_operations(list, !all_but, marked);
    free(list);
    if (status == SYN_OK)
        memcpy(recorded, marked, sizeof marked);
    return status;
}

#define PATH_BYTES sizeof((struct syn_options *)NULL)->directory

/* Writes `text` as an absolute path to path [PATH_BYTES]. Returns 0 or SYN_EINVAL. */
static int make_absolute(const char *text, char *path)
{
    char here[PATH_MAX] = "", made[PATH_BYTES];
    if (*text != '/' && !getcwd(here, sizeof here))
        return SYN_EINVAL;
    const int length = snprintf(made, sizeof made, "%s%s%s", here, *text == '/' ? "" : "/", text);
    if (length >= (int)sizeof made)
        return SYN_EINVAL;
    memset(path, 0, PATH_BYTES); /* the whole array is broadcast: no stale bytes */
    memcpy(path, made, (size_t)length);
    return SYN_OK;
}

static int parse_directory(const char *text, struct syn_options *options)
{
    char name[PATH_BYTES], unknown;
    const int status = syn_output_name(text, name, sizeof name, &unknown);
    return status != SYN_OK ? status : make_absolute(name, options->directory);
}

static int parse_spill(const char *text, struct syn_options *options)
{
    if (strcmp(text, "memory") != 0)
        return make_absolute(text, options->spill);
    strcpy(options->spill, text);
    return SYN_OK;
}

static int parse_sync(const char *text, struct syn_options *options)
{
    return syn_sync_method_parse(text, &options->sync.method);
}

static int parse_fitpoints(const char *text, struct syn_options *options)
{
    return parse_int(text, 1, 1000000, &options->sync.fitpoint_count);
}

static int parse_exchanges(const char *text, struct syn_options *options)
{
    return parse_int(text, 1, 1000000, &options->sync.exchange_count);
}

static int parse_budget(const char *text, struct syn_options *options)
{
    char *end;
    const double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds >= 0 && seconds <= 3600))
        return SYN_EINVAL;
    options->sync.budget_s = seconds;
    return SYN_OK;
}

static int parse_resync(const char *text, struct syn_options *options)
{
    char *end;
    const double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds == 0 || (seconds >= 0.01 && seconds <= 86400)))
        return SYN_EINVAL;
    options->resync_s = seconds;
    return SYN_OK;
}

static int parse_clock(const char *text, struct syn_options *options)
{
    static const struct {
        const char *name;
        enum syn_clock_kind kind;
    } clocks[] = {
        {"tsc", SYN_CLOCK_TSC}, {"monotonic", SYN_CLOCK_MONOTONIC}, {"mpi", SYN_CLOCK_FUNCTION}};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        if (strcmp(text, clocks[i].name) == 0) {
            options->clock = clocks[i].kind;
            return SYN_OK;
        }
    }
    return SYN_EINVAL;
}

static int parse_stack(const char *text, struct syn_options *options)
{
    return parse_int(text, 0, SYN_STACK_DEPTH_MAX, &options->stack_depth);
}

static int parse_buffer(const char *text, struct syn_options *options)
{
    uint64_t bytes;
    if (syn_options_parse_bytes(text, &bytes) || bytes < BUFFER_BYTES_MIN)
        return SYN_EINVAL;
    options->buffer_bytes = bytes;
    return SYN_OK;
}

static int parse_level(const char *text, struct syn_options *options)
{
    return parse_int(text, -7, 22, &options->level);
}

static int parse_operations(const char *text, struct syn_options *options)
{
    return syn_options_parse_operations(text, options->recorded);
}

/* Parses "50us": a number, then ns, us, ms, s or nothing (seconds); from 1 us to 1 s. */
static int parse_window(const char *text, int64_t *window_ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1e9}};
    char *end;
    const double number = strtod(text, &end);
    for (size_t i = 0; isdigit((unsigned char)*text) && i < sizeof units / sizeof *units; i++) {
        const double ns = number * units[i].ns;
        if (strcmp(end, units[i].name) == 0 && ns >= 1e3 && ns <= 1e9) {
            *window_ns = (int64_t)ns;
            return SYN_OK;
        }
    }
    return SYN_EINVAL;
}

static const char *const align_names[] = {"none", "barrier", "window"};

const char *syn_align_method_name(enum syn_align_method method)
{
    return align_names[method];
}

static int parse_align(const char *text, struct syn_options *options)
{
    static const char prefix[] = "window=";
    if (strncmp(text, prefix, sizeof prefix - 1) == 0) {
        const int status = parse_window(text + sizeof prefix - 1, &options->window_ns);
        options->align = status != SYN_OK ? options->align : SYN_ALIGN_WINDOW;
        return status;
    }
    for (size_t i = 0; i < sizeof align_names / sizeof *align_names; i++) {
        if (strcmp(text, align_names[i]) == 0) {
            options->align = (enum syn_align_method)i;
            return SYN_OK;
        }
    }
    return SYN_EINVAL;
}

static int parse_switch(const char *text, bool *on)
{
    if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
        return SYN_EINVAL;
    *on = strcmp(text, "on") == 0;
    return SYN_OK;
}

static int parse_messages(const char *text, struct syn_options *options)
{
    static const char *const names[] = {"off", "sums", "events", "on"};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) {
            options->messages = i == 3 ? SYN_MESSAGES_EVENTS : (enum syn_messages)i;
            return SYN_OK;
        }
    return SYN_EINVAL;
}

static int parse_samples(const char *text, struct syn_options *options)
{
    return parse_switch(text, &options->samples);
}

static int parse_signals(const char *text, struct syn_options *options)
{
    return parse_switch(text, &options->signals);
}

static int parse_ranks(const char *text, struct syn_options *options)
{
    if (strlen(text) >= sizeof options->ranks || syn_rank_list_check(text))
        return SYN_EINVAL;
    strcpy(options->ranks, text);
    return SYN_OK;
}

static int parse_phases(const char *text, struct syn_options *options)
{
    if (strlen(text) >= sizeof options->phases || syn_phase_list_check(text))
        return SYN_EINVAL;
    strcpy(options->phases, text);
    return SYN_OK;
}

static int parse_quiet(const char *text, struct syn_options *options)
{
    options->quiet = strcmp(text, "0") != 0;
    return SYN_OK;
}

static int parse_files(const char *text, struct syn_options *options)
{
    static const char *const names[] = {
        [SYN_FILES_AUTO] = "auto", [SYN_FILES_NODE] = "node", [SYN_FILES_RANK] = "rank"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            options->files = (enum syn_files)i;
            return SYN_OK;
        }
    return SYN_EINVAL;
}

static int parse_skew(const char *text, struct syn_options *options)
{
    return snprintf(options->test_skew, sizeof options->test_skew, "%s", text) <
                   (int)sizeof options->test_skew
               ? SYN_OK
               : SYN_EINVAL;
}

/* The variables. A variable's place is part of its cause in say.h, so keep the order. */
static const struct {
    const char *name;
    parse_function *parse;
    const char *expected;
} variables[] = {
    {"SYNCOPATE_OUTPUT", parse_directory,
     "a path of at most 4095 bytes; of placeholders %j, %s, %a, %h, %p, %t, %%"},
    {"SYNCOPATE_SYNC", parse_sync, "auto, hca, hca2, hca3, jk, skampi, netgauge or none"},
    {"SYNCOPATE_FITPOINTS", parse_fitpoints, "a number from 1"},
    {"SYNCOPATE_EXCHANGES", parse_exchanges, "a number from 1"},
    {"SYNCOPATE_SYNC_BUDGET", parse_budget, "seconds from 0 to 3600"},
    {"SYNCOPATE_RESYNC", parse_resync, "seconds from 0.01 to 86400, or 0 for never"},
    {"SYNCOPATE_CLOCK", parse_clock, "tsc, monotonic or mpi"},
    {"SYNCOPATE_STACK", parse_stack, "a depth from 0 to 64"},
    {"SYNCOPATE_BUFFER", parse_buffer, "bytes from 64K, as in 64M"},
    {"SYNCOPATE_SPILL", parse_spill, "a path of at most 4095 bytes, or memory"},
    {"SYNCOPATE_LEVEL", parse_level, "a level of zstd, -7 to 22"},
    {"SYNCOPATE_ALIGN", parse_align, "none, barrier, window or window=TIME, as in window=50us"},
    {"SYNCOPATE_OPS", parse_operations,
     "names of collectives or classes (data, comm, window, file), as in data,Comm_dup"},
    {"SYNCOPATE_RANKS", parse_ranks, "ranks to record, as in 0-3,8 or 0-63:4"},
    {"SYNCOPATE_PHASES", parse_phases, "names of phases, one for each, as in 2=assembly,3=solve"},
    {"SYNCOPATE_MESSAGES", parse_messages, "events, sums or off"},
    {"SYNCOPATE_SAMPLES", parse_samples, "on or off"},
    {"SYNCOPATE_QUIET", parse_quiet, "0 or 1"},
    {"SYNCOPATE_SIGNALS", parse_signals, "on or off"},
    {"SYNCOPATE_TEST_SKEW", parse_skew, "a skew of at most 511 bytes"},
    {"SYNCOPATE_FILES", parse_files, "auto, node or rank"},
};
enum { VARIABLE_COUNT = sizeof variables / sizeof *variables };
_Static_assert((uint64_t)SYN_SAY_OPTION << (VARIABLE_COUNT - 1) < SYN_SAY_LATE,
               "each variable has a cause of its own");

void syn_options_read(struct syn_options *options)
{
    const locale_t before = syn_plain_locale_begin();
    memset(options, 0, sizeof *options);
    syn_sync_options_default(&options->sync);
    options->clock = SYN_CLOCK_TSC;
    options->stack_depth = 8;
    options->buffer_bytes = (uint64_t)64 << 20;
    options->level = 1;
    options->signals = options->samples = true;
    options->messages = SYN_MESSAGES_SUMS;
    options->window_ns = 100000;
    for (int row = 0; row < SYN_ROW_COUNT; row++)
        options->recorded[row] = true;
    parse_directory("syncopate-trace", options);
    for (size_t i = 0; i < VARIABLE_COUNT; i++) {
        const char *value = syn_environment(variables[i].name);
        if (!value || !*value)
            continue;
        if (variables[i].parse(value, options))
            syn_say((enum syn_cause)(SYN_SAY_OPTION << i),
                    "%s=%.200s: expected %s; the default is used", variables[i].name, value,
                    variables[i].expected);
    }
    syn_plain_locale_end(before);
}
