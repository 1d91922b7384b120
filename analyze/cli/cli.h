/* analyze/cli/cli.h - the command line of a command, from one table of its options. The parser, the
 * help, the manual page, the completion and the suggestions for misspelled words all use that
 * table.
 *
 * An option is a row, struct syn_cli_option. Rows are grouped into sections, so that commands can
 * share them, as diff and compare do. The rows of a section fill one struct, which lies at the
 * section's offset in the command's request. */
#ifndef SYN_CLI_H
#define SYN_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/print/text.h"

struct syn_cli_option {
    const char *name;  /* without its dashes; NULL: the option has a letter only */
    char letter;       /* 0: none */
    const char *value; /* the name of its value in the help; NULL: the option takes none. LIST and
                          KEYS are several words, separated by commas */
    const char *words; /* its values, separated by blanks, for completion and suggestions; "": they
                          cannot be listed; "/": a file or directory */
    const char *help;  /* what the option does, with its default in brackets; no full stop */
    const char *expected; /* as in "--name value: expected ..." */
    /* Stores the value (NULL if the option takes none) in the section's struct. Returns 0;
     * SYN_EINVAL if the value is wrong; or an exit status above 0 after an error line of its own.
     */
    int (*take)(void *target, const char *value);
};

/* Define a `take` function. KEEP stores the value's pointer in a member. SET stores true. CHOOSE
 * stores whether the value is the second of two words. PARSE calls another function to store the
 * value. */
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
#define SYN_CLI_CHOOSE(name, type, member, words)                 \
    static int name(void *target, const char *value)              \
    {                                                             \
        const int word = syn_cli_choice(words, value);            \
        ((type *)target)->member = word > 0 ? (unsigned)word : 0; \
        return word >= 0 ? SYN_OK : SYN_EINVAL;                   \
    }
#define SYN_CLI_PARSE(name, type, member, parse)        \
    static int name(void *target, const char *value)    \
    {                                                   \
        return parse(value, &((type *)target)->member); \
    }

struct syn_cli_section {
    const char *title; /* heading above its options; NULL: none */
    const struct syn_cli_option *option;
    size_t count;
    size_t offset; /* of the struct that its options fill, within the request */
};

/* An environment variable that the command reads, too. */
struct syn_cli_variable {
    const char *name;
    const char *help; /* no full stop at the end */
};

struct syn_cli_command {
    const char *name;
    const char *summary;     /* one line, without a full stop */
    const char *usage;       /* one form a line, without "usage: " */
    const char *description; /* paragraphs, separated by blank lines */
    const struct syn_cli_section *section;
    size_t section_count;
    const char *notes;    /* paragraphs after the options; NULL: none */
    const char *examples; /* for the manual page: lines that begin with blanks */
    /* For the manual page: each option of the sections from this one on is also a variable,
     * SYNCOPATE_NAME (0: none is), and there are further variables. */
    size_t variable_section;
    const struct syn_cli_variable *variable;
    size_t variable_count;
    bool stops_at_argument;   /* the words after the first argument belong to another program */
    bool argument_is_command; /* completion: the arguments are a program and its arguments, not
                                 traces */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
};

/* All commands of the program. */
struct syn_cli_program {
    const char *name, *summary;
    const char *notes; /* paragraphs after the list of commands */
    const struct syn_cli_command *const *command;
    size_t count;
};

enum syn_cli_step { SYN_CLI_GO, SYN_CLI_HELP, SYN_CLI_WRONG };

/* Parses argv[1 ..] into `request`. The remaining arguments begin at argv[optind]. SYN_CLI_HELP:
 * --help was given, and nothing after it was read. SYN_CLI_WRONG: *why is one line without the
 * program's name, which the caller frees, or is empty if the option's function has printed its own;
 * *status is the exit status. */
enum syn_cli_step syn_cli_read(const struct syn_cli_command *command, int argc, char **argv,
                               void *request, struct syn_text *why, int *status);

#define SYN_CLI_GOES_ON (-1)
/* Calls syn_cli_read, and prints help or errors. Returns SYN_CLI_GOES_ON, or the exit status. */
int syn_cli_parse(const struct syn_cli_command *command, int argc, char **argv, void *request);

/* Prints the text of --help. Returns the exit status. */
int syn_cli_print_help(const struct syn_cli_command *command);
/* Append the text of --help of a command, or of the program, in lines of at most 80 characters. */
void syn_cli_help(const struct syn_cli_command *command, struct syn_text *out);
void syn_cli_help_all(const struct syn_cli_program *program, struct syn_text *out);
/* Appends the manual page, of section 1, in troff (man(7)); command NULL: the page of the program
 * itself. */
void syn_cli_man(const struct syn_cli_program *program, const struct syn_cli_command *command,
                 struct syn_text *out);
/* Appends the completion for "bash", "zsh" or "fish". Returns 0, or SYN_EINVAL for another
 * shell. */
int syn_cli_completion(const struct syn_cli_program *program, const char *shell,
                       struct syn_text *out);

/* ---- for commands that take words ---- */

/* Finds the word of `words` (separated by blanks) that `typed` is most likely a misspelling of:
 * within two edits (insert, delete, replace, swap of two neighbours), or within one for words of
 * fewer than five letters. Writes the word to `out` [capacity]. Returns NULL if no word is that
 * close. Source: Damerau 1964, the restricted distance. */
const char *syn_cli_nearest(const char *typed, const char *words, char *out, size_t capacity);
/* Returns the index of `value` in `words`, or SYN_EINVAL. */
int syn_cli_choice(const char *words, const char *value);

#endif
