/* analyze/cli/parse.c - reads options by a command's table. getopt_long reads them, so that
 * abbreviations, --name=value and clustered letters work as usual. This file makes its arrays from
 * the table, finds the row of an option, and reports errors. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/cli.h"
#include "analyze/print/command.h"

#define OPTION_COUNT_MAX 64
#define CODE_FIRST       256 /* codes of options by name: CODE_FIRST + number of the option */
#define WORDS_BYTES      1024

/* The arguments of getopt_long. */
struct reading {
    const struct syn_cli_command *command;
    struct option options[OPTION_COUNT_MAX + 2];
    char letters[2 * OPTION_COUNT_MAX + 4];
    size_t count;
};

/* Returns the option of that number, counted over all sections; *target_offset is its section's.
 * NULL: there is none. */
static const struct syn_cli_option *option_at(const struct syn_cli_command *command, size_t number,
                                              size_t *target_offset)
{
    for (size_t i = 0; i < command->section_count; i++) {
        const struct syn_cli_section *section = &command->section[i];
        if (number < section->count) {
            *target_offset = section->offset;
            return &section->option[number];
        }
        number -= section->count;
    }
    return NULL;
}

static void prepare(struct reading *reading, const struct syn_cli_command *command)
{
    const struct syn_cli_option *option;
    size_t offset, long_count = 0;
    *reading = (struct reading){.command = command};
    strcpy(reading->letters, command->stops_at_argument ? "+:h" : ":h");
    reading->options[long_count++] = (struct option){"help", no_argument, NULL, 'h'};
    for (size_t i = 0; i < OPTION_COUNT_MAX && (option = option_at(command, i, &offset)); i++) {
        if (option->letter) {
            char *end = reading->letters + strlen(reading->letters);
            *end++ = option->letter;
            if (option->value)
                *end++ = ':';
            *end = '\0';
        }
        if (option->name)
            reading->options[long_count++] =
                (struct option){option->name, option->value ? required_argument : no_argument, NULL,
                                CODE_FIRST + (int)i};
    }
}

/* Returns the option of a code that getopt_long returned. */
static const struct syn_cli_option *find(const struct syn_cli_command *command, int code,
                                         size_t *offset)
{
    const struct syn_cli_option *option;
    if (code >= CODE_FIRST)
        return option_at(command, (size_t)(code - CODE_FIRST), offset);
    for (size_t i = 0; (option = option_at(command, i, offset)); i++)
        if (option->letter == code)
            return option;
    return NULL;
}

/* ---- error lines ---- */

static void suggest(struct syn_text *why, const char *dashes, const char *typed, const char *words)
{
    char name[64];
    if (syn_cli_nearest(typed, words, name, sizeof name))
        syn_text_format(why, "; did you mean %s%s?", dashes, name);
}

static void refuse_option(const struct syn_cli_command *command, int argc, char **argv, int code,
                          struct syn_text *why)
{
    char words[WORDS_BYTES], typed[64];
    const char *given = optind > 0 && optind <= argc ? argv[optind - 1] : "?";
    const char letter[3] = {'-', (char)optopt, '\0'};
    const bool is_letter = optopt > 0 && optopt < CODE_FIRST && strncmp(given, "--", 2) != 0;
    if (code == ':') {
        syn_text_format(why, "%s needs a value (see syncopate %s --help)",
                        is_letter ? letter : given, command->name);
        return;
    }
    syn_text_format(why, "unknown option %s", is_letter ? letter : given);
    const struct syn_cli_option *option;
    size_t offset, used = (size_t)snprintf(words, WORDS_BYTES, "help");
    for (size_t i = 0; (option = option_at(command, i, &offset)) && used < WORDS_BYTES; i++)
        if (option->name)
            used += (size_t)snprintf(words + used, WORDS_BYTES - used, " %s", option->name);
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(given + strspn(given, "-"), "="),
             given + strspn(given, "-"));
    if (!is_letter)
        suggest(why, "--", typed, words);
    syn_text_format(why, " (see syncopate %s --help)", command->name);
}

/* Suggests a word in place of the first one in a list that is not among `words`. */
static void suggest_word(struct syn_text *why, const char *value, const char *words)
{
    char copy[256], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", value);
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (syn_cli_choice(words, word) < 0) {
            suggest(why, "", word, words);
            return;
        }
    }
}

/* ---- reading ---- */

static enum syn_cli_step take(const struct reading *reading, int code, void *request,
                              struct syn_text *why, int *status)
{
    size_t offset = 0;
    const struct syn_cli_option *option = find(reading->command, code, &offset);
    const int taken = option->take((char *)request + offset, optarg);
    if (taken == 0)
        return SYN_CLI_GO;
    if (taken < 0) {
        const char letter[3] = {'-', option->letter, '\0'};
        syn_text_format(why, "%s%s%s%s: expected %s", option->name ? "--" : letter,
                        option->name ? option->name : "", optarg && *optarg ? " " : "",
                        optarg ? optarg : "", option->expected);
        if (optarg && option->words && *option->words != '/')
            suggest_word(why, optarg, option->words);
    }
    *status = taken < 0 ? SYN_EXIT_BAD : taken;
    return SYN_CLI_WRONG;
}

enum syn_cli_step syn_cli_read(const struct syn_cli_command *command, int argc, char **argv,
                               void *request, struct syn_text *why, int *status)
{
    struct reading reading;
    prepare(&reading, command);
    *status = SYN_EXIT_BAD;
    opterr = 0;
    optind = 0; /* with glibc: begin anew, also after an earlier call */
    for (int code;
         (code = getopt_long(argc, argv, reading.letters, reading.options, NULL)) != -1;) {
        if (code == 'h')
            return SYN_CLI_HELP;
        if (code == '?' || code == ':') {
            refuse_option(command, argc, argv, code, why);
            return SYN_CLI_WRONG;
        }
        const enum syn_cli_step step = take(&reading, code, request, why, status);
        if (step != SYN_CLI_GO)
            return step;
    }
    return SYN_CLI_GO;
}

int syn_cli_print_help(const struct syn_cli_command *command)
{
    SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
    syn_cli_help(command, &text);
    const bool failed = fputs(syn_text_chars(&text), stdout) < 0;
    return failed ? SYN_EXIT_BAD : SYN_EXIT_OK;
}

int syn_cli_parse(const struct syn_cli_command *command, int argc, char **argv, void *request)
{
    SYN_CLEANUP(syn_text_free) struct syn_text why = {0};
    int status;
    const enum syn_cli_step step = syn_cli_read(command, argc, argv, request, &why, &status);
    if (step == SYN_CLI_HELP)
        status = syn_cli_print_help(command);
    else if (step == SYN_CLI_WRONG && why.length)
        syn_bad_usage(command->name, "%s", syn_text_chars(&why));
    return step == SYN_CLI_GO ? SYN_CLI_GOES_ON : status;
}
