/* analyze/cli/cli.h - a command's line: one table says which options there are, and parsing, help,
 * manual page, completion and the suggestion for a slip all follow from it.
 *
 * An option is a row of struct syn_cli_option. Rows stand in sections, so that commands can share
 * them (diff and compare do); a section's rows fill one struct, which lies at an offset in the
 * command's request. */
#ifndef SYN_CLI_H
#define SYN_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/print/text.h"

struct syn_cli_option {
    const char *name;  /* without its dashes; NULL: a letter only */
    char letter;       /* 0: none */
    const char *value; /* what the help calls the value; NULL: the option takes none. LIST and KEYS
                          are several words with commas between them */
    const char
        *words;           /* values that it takes, with blanks between them, for completion and
                             suggestions; "" where they cannot be listed, "/" for a file or directory */
    const char *help;     /* what it does, with its default in brackets; no full stop at the end */
    const char *expected; /* after "--name value: expected ..." */
    /* Take the value (NULL where there is none) into the section's struct. Returns 0; SYN_EINVAL
     * where the value is not what was expected; an exit status above 0 after its own line. */
    int (*take)(void *target, const char *value);
};

/* Such a function: for an option whose value is kept as it is, in a member of what is filled in;
 * for one that only says that it was given; for one that chooses the second of two words; and for
 * one whose value another function parses into the member. */
#define SYN_CLI_KEEP(name, type, member)             \
    static int name(void *target, const char *value) \
    {                                                \
        ((type *)target)->member = value;            \
        return 0;                                    \
    }
#define SYN_CLI_SET(name, type, member)              \
    static int name(void *target, const char *value) \
    {                                                \
        (void)value;                                 \
        ((type *)target)->member = true;             \
        return 0;                                    \
    }
#define SYN_CLI_CHOOSE(name, type, member, two_words)                       \
    static int name(void *target, const char *value)                        \
    {                                                                       \
        ((type *)target)->member = syn_cli_choice(two_words, value) == 1;   \
        return syn_cli_choice(two_words, value) >= 0 ? SYN_OK : SYN_EINVAL; \
    }
#define SYN_CLI_PARSE(name, type, member, parse)        \
    static int name(void *target, const char *value)    \
    {                                                   \
        return parse(value, &((type *)target)->member); \
    }

struct syn_cli_section {
    const char *title; /* over its options; NULL: none */
    const struct syn_cli_option *option;
    size_t count;
    size_t offset; /* of the struct that its options fill, in the request */
};

/* An environment variable that is read besides. */
struct syn_cli_variable {
    const char *name;
    const char *help; /* no full stop at the end */
};

struct syn_cli_command {
    const char *name;
    const char *summary;     /* one line, without a full stop */
    const char *usage;       /* a line each, without "usage: " */
    const char *description; /* paragraphs, a blank line between them */
    const struct syn_cli_section *section;
    size_t section_count;
    const char *notes;    /* paragraphs behind the options; NULL: none */
    const char *examples; /* of the manual page: lines that begin with blanks */
    /* The manual page lists each option of this section and of those behind it as a variable
     * as well, SYNCOPATE_NAME (0: none), and further variables. */
    size_t variable_section;
    const struct syn_cli_variable *variable;
    size_t variable_count;
    bool stops_at_argument;   /* what follows the first argument is another program's */
    bool argument_is_command; /* completion: arguments are a program and its own, no traces */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
};

/* All commands of the program. */
struct syn_cli_program {
    const char *name, *summary;
    const char *notes; /* paragraphs behind the list of commands */
    const struct syn_cli_command *const *command;
    size_t count;
};

enum syn_cli_step { SYN_CLI_GO, SYN_CLI_HELP, SYN_CLI_WRONG };

/* Parse argv[1 ..] into `request`; what is left begins at argv[optind]. SYN_CLI_HELP: --help was
 * given, nothing after it was read. SYN_CLI_WRONG: *why is one line without the program's name (the
 * caller frees it), or empty where an option's function has said its own; *status is the exit
 * status. */
enum syn_cli_step syn_cli_read(const struct syn_cli_command *command, int argc, char **argv,
                               void *request, struct syn_text *why, int *status);

#define SYN_CLI_GOES_ON (-1)
/* Like syn_cli_read, but prints help and errors. Returns SYN_CLI_GOES_ON, or the exit status. */
int syn_cli_parse(const struct syn_cli_command *command, int argc, char **argv, void *request);

/* Print the text of --help; returns the exit status. */
int syn_cli_print_help(const struct syn_cli_command *command);
/* The text of --help: lines of at most 80 characters. */
void syn_cli_help(const struct syn_cli_command *command, struct syn_text *out);
void syn_cli_help_all(const struct syn_cli_program *program, struct syn_text *out);
/* The page of section 1 as troff (man(7)); command NULL: that of the program itself. */
void syn_cli_man(const struct syn_cli_program *program, const struct syn_cli_command *command,
                 struct syn_text *out);
/* Completion for "bash", "zsh" or "fish". Returns 0, or SYN_EINVAL for another shell. */
int syn_cli_completion(const struct syn_cli_program *program, const char *shell,
                       struct syn_text *out);

/* ---- for commands that take words ---- */

/* The word of `words` (with blanks between them) that `typed` is most likely a slip of: within two
 * edits (insert, delete, replace, swap two neighbours), or one for words below five letters; NULL
 * where none is that near. Written to `out` [capacity]. Source: Damerau 1964, the restricted
 * distance. */
const char *syn_cli_nearest(const char *typed, const char *words, char *out, size_t capacity);
/* Index of `value` in `words`, or SYN_EINVAL. */
int syn_cli_choice(const char *words, const char *value);

#endif
