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

/* A variable, and the member of struct syn_options that it sets. */
struct variable {
    const char *name;
    const char *expected;  /* for the message about an invalid value */
    parse_function *parse; /* if not NULL, the rest is not used */
    enum {
        WHOLE,   /* int, from low to high */
        SECONDS, /* double, 0 or from low to high */
        NAME,    /* enum, by its place among the names */
        SWITCH,  /* bool, likewise */
        TEXT     /* array of `high` bytes */
    } kind;
    size_t at; /* offset of the member */
    double low, high;
    const char *names[4];
    int (*check)(const char *text); /* of TEXT; NULL: any is valid */
};

static int parse_member(const char *text, const struct variable *as, struct syn_options *options)
{
    void *member = (char *)options + as->at;
    char *end;
    switch (as->kind) {
    case WHOLE: {
        const long number = strtol(text, &end, 10);
        if (end == text || *end || (double)number < as->low || (double)number > as->high)
            return SYN_EINVAL;
        *(int *)member = (int)number;
        return SYN_OK;
    }
    case SECONDS: {
        const double seconds = strtod(text, &end);
        if (end == text || *end || !(seconds == 0 || (seconds >= as->low && seconds <= as->high)))
            return SYN_EINVAL;
        *(double *)member = seconds;
        return SYN_OK;
    }
    case NAME:
    case SWITCH:
        for (unsigned i = 0; i < 4 && as->names[i]; i++) {
            if (strcmp(text, as->names[i]) != 0)
                continue;
            if (as->kind == SWITCH)
                *(bool *)member = i;
            else
                memcpy(member, &i, sizeof i);
            return SYN_OK;
        }
        return SYN_EINVAL;
    default:
        if (strlen(text) >= (size_t)as->high || (as->check && as->check(text)))
            return SYN_EINVAL;
        strcpy(member, text);
        return SYN_OK;
    }
}
_Static_assert(sizeof(enum syn_clock_kind) == sizeof(unsigned) &&
                   sizeof(enum syn_messages) == sizeof(unsigned) &&
                   sizeof(enum syn_files) == sizeof(unsigned),
               "parse_member stores an enum as unsigned");

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

static int parse_buffer(const char *text, struct syn_options *options)
{
    uint64_t bytes;
    if (syn_options_parse_bytes(text, &bytes) || bytes < BUFFER_BYTES_MIN)
        return SYN_EINVAL;
    options->buffer_bytes = bytes;
    return SYN_OK;
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

static int parse_quiet(const char *text, struct syn_options *options)
{
    options->quiet = strcmp(text, "0") != 0;
    return SYN_OK;
}

#define AT(member)      .at = offsetof(struct syn_options, member)
#define TEXT_AT(member) TEXT, AT(member), .high = sizeof((struct syn_options *)NULL)->member
/* The variables. A variable's place is part of its cause in say.h, so keep the order. The kernel's
 * raw clock, the second of its enum, has no name here; "on" is a further name of "events". */
static const struct variable variables[] = {
    {"SYNCOPATE_OUTPUT", "a path of at most 4095 bytes; of placeholders %j, %s, %a, %h, %p, %t, %%",
     .parse = parse_directory},
    {"SYNCOPATE_SYNC", "auto, hca, hca2, hca3, jk, skampi, netgauge or none", .parse = parse_sync},
    {"SYNCOPATE_FITPOINTS", "a number from 1", NULL, WHOLE, AT(sync.fitpoint_count), 1, 1000000},
    {"SYNCOPATE_EXCHANGES", "a number from 1", NULL, WHOLE, AT(sync.exchange_count), 1, 1000000},
    {"SYNCOPATE_SYNC_BUDGET", "seconds from 0 to 3600", NULL, SECONDS, AT(sync.budget_s), 0, 3600},
    {"SYNCOPATE_RESYNC", "seconds from 0.01 to 86400, or 0 for never", NULL, SECONDS, AT(resync_s),
     0.01, 86400},
    {"SYNCOPATE_CLOCK", "tsc, monotonic or mpi", NULL, NAME, AT(clock),
     .names = {"tsc", "", "monotonic", "mpi"}},
    {"SYNCOPATE_STACK", "a depth from 0 to 64", NULL, WHOLE, AT(stack_depth), 0,
     SYN_STACK_DEPTH_MAX},
    {"SYNCOPATE_BUFFER", "bytes from 64K, as in 64M", .parse = parse_buffer},
    {"SYNCOPATE_SPILL", "a path of at most 4095 bytes, or memory", .parse = parse_spill},
    {"SYNCOPATE_LEVEL", "a level of zstd, -7 to 22", NULL, WHOLE, AT(level), -7, 22},
    {"SYNCOPATE_ALIGN", "none, barrier, window or window=TIME, as in window=50us",
     .parse = parse_align},
    {"SYNCOPATE_OPS",
     "names of collectives or classes (data, comm, window, file), as in data,Comm_dup",
     .parse = parse_operations},
    {"SYNCOPATE_RANKS", "ranks to record, as in 0-3,8 or 0-63:4", NULL, TEXT_AT(ranks),
     .check = syn_rank_list_check},
    {"SYNCOPATE_PHASES", "names of phases, one for each, as in 2=assembly,3=solve", NULL,
     TEXT_AT(phases), .check = syn_phase_list_check},
    {"SYNCOPATE_MESSAGES", "events, sums or off", NULL, NAME, AT(messages),
     .names = {"off", "sums", "events", "on"}},
    {"SYNCOPATE_SAMPLES", "on or off", NULL, SWITCH, AT(samples), .names = {"off", "on"}},
    {"SYNCOPATE_QUIET", "0 or 1", .parse = parse_quiet},
    {"SYNCOPATE_SIGNALS", "on or off", NULL, SWITCH, AT(signals), .names = {"off", "on"}},
    {"SYNCOPATE_TEST_SKEW", "a skew of at most 511 bytes", NULL, TEXT_AT(test_skew)},
    {"SYNCOPATE_FILES", "auto, node or rank", NULL, NAME, AT(files),
     .names = {"auto", "node", "rank"}},
};
_Static_assert(SYN_CLOCK_TSC == 0 && SYN_CLOCK_MONOTONIC == 2 && SYN_CLOCK_FUNCTION == 3 &&
                   SYN_MESSAGES_EVENTS == 2 && SYN_FILES_NODE == 1 && SYN_FILES_RANK == 2,
               "names are in the order of the values");
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
        const struct variable *variable = &variables[i];
        const char *value = syn_environment(variable->name);
        if (!value || !*value)
            continue;
        if (variable->parse ? variable->parse(value, options)
                            : parse_member(value, variable, options))
            syn_say((enum syn_cause)(SYN_SAY_OPTION << i),
                    "%s=%.200s: expected %s; the default is used", variable->name, value,
                    variable->expected);
    }
    if (options->messages > SYN_MESSAGES_EVENTS)
        options->messages = SYN_MESSAGES_EVENTS;
    syn_plain_locale_end(before);
}
