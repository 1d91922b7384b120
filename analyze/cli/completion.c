/* analyze/cli/completion.c - completion for three shells, out of the same tables as --help:
 * commands, options, and the values of those whose values can be listed. */
#include <string.h>

#include "analyze/cli/cli.h"

/* Calls `each` for every option of a command. */
static void for_options(const struct syn_cli_command *command, struct syn_text *out,
                        void (*each)(const struct syn_cli_command *command,
                                     const struct syn_cli_option *option, struct syn_text *out))
{
    for (size_t i = 0; i < command->section_count; i++)
        for (size_t j = 0; j < command->section[i].count; j++)
            each(command, &command->section[i].option[j], out);
}

static bool is_listed(const struct syn_cli_option *option)
{
    return option->value && option->words && *option->words && *option->words != '/';
}

static bool is_list(const struct syn_cli_option *option)
{
    return strcmp(option->value, "LIST") == 0 || strcmp(option->value, "KEYS") == 0;
}

/* ---- bash ---- */

/* Completes the word that begins behind "=", or behind the last comma of a list. bash makes a word
 * of its own of "=" where COMP_WORDBREAKS has it, and leaves --format=j whole where not. */
static const char bash_values_function[] =
    "_syncopate_words() {\n"
    "    local head=$front\n"
    "    case $word in *,*) head=$front${word%,*}, ;; esac\n"
    "    COMPREPLY=($(compgen -P \"$head\" -W \"$1\" -- \"${word##*,}\"))\n"
    "}\n";

static void bash_name(const struct syn_cli_command *command, const struct syn_cli_option *option,
                      struct syn_text *out)
{
    (void)command;
    if (option->name)
        syn_text_format(out, "--%s ", option->name);
    else
        syn_text_format(out, "-%c ", option->letter);
}

static void bash_values(const struct syn_cli_command *command, const struct syn_cli_option *option,
                        struct syn_text *out)
{
    if (is_listed(option) && option->name)
        syn_text_format(out, "        %s:--%s) _syncopate_words '%s'; return ;;\n", command->name,
                        option->name, option->words);
}

static void bash(const struct syn_cli_program *program, struct syn_text *out)
{
    syn_text_format(out,
                    "# completion of %s for bash\n%s"
                    "_%s() {\n"
                    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
                    "command=${COMP_WORDS[1]} front=\n"
                    "    if [ \"$word\" = = ]; then word=\n"
                    "    elif [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}\n"
                    "    else case $word in --*=*) before=${word%%%%=*} front=${word%%%%=*}= "
                    "word=${word#*=} ;; esac\n"
                    "    fi\n"
                    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                    "        COMPREPLY=($(compgen -W '",
                    program->name, bash_values_function, program->name);
    for (size_t i = 0; i < program->count; i++)
        syn_text_format(out, "%s ", program->command[i]->name);
    syn_text_string(out, "help --help --version' -- \"$word\")); return\n    fi\n"
                         "    case $command:$before in\n");
    for (size_t i = 0; i < program->count; i++)
        for_options(program->command[i], out, bash_values);
    syn_text_string(out, "    esac\n    case $word in -*) case $command in\n");
    for (size_t i = 0; i < program->count; i++) {
        syn_text_format(out, "        %s) COMPREPLY=($(compgen -W '", program->command[i]->name);
        for_options(program->command[i], out, bash_name);
        syn_text_string(out, "--help' -- \"$word\")) ;;\n");
    }
    syn_text_format(out,
                    "        esac; return ;; esac\n"
                    "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
                    "}\n"
                    "complete -o filenames -F _%s %s\n",
                    program->name, program->name);
}

/* ---- zsh ---- */

/* A text within single quotes and brackets. */
static void zsh_text(const char *text, struct syn_text *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            syn_text_string(out, "'\\''");
        else if (strchr("[]:\\", *text))
            syn_text_format(out, "\\%c", *text);
        else
            syn_text_char(out, *text);
    }
}

static void zsh_option(const struct syn_cli_command *command, const struct syn_cli_option *option,
                       struct syn_text *out)
{
    (void)command;
    if (option->name && option->letter)
        syn_text_format(out, " \\\n            {-%c%s,--%s%s}'[", option->letter,
                        option->value ? "+" : "", option->name, option->value ? "=" : "");
    else if (option->name)
        syn_text_format(out, " \\\n            '--%s%s[", option->name, option->value ? "=" : "");
    else
        syn_text_format(out, " \\\n            '-%c[", option->letter);
    zsh_text(option->help, out);
    syn_text_string(out, "]");
    if (option->value) {
        syn_text_format(out, ":%s:", option->value);
        if (is_listed(option) && is_list(option))
            syn_text_format(out, "_values -s , %s %s", option->value, option->words);
        else if (is_listed(option))
            syn_text_format(out, "(%s)", option->words);
        else if (option->words && *option->words == '/')
            syn_text_string(out, "_files");
    }
    syn_text_string(out, "'");
}

static void zsh(const struct syn_cli_program *program, struct syn_text *out)
{
    syn_text_format(out,
                    "#compdef %s\n# completion of %s for zsh\n_%s() {\n    local -a commands=(",
                    program->name, program->name, program->name);
    for (size_t i = 0; i < program->count; i++) {
        syn_text_format(out, "\n        '%s:", program->command[i]->name);
        zsh_text(program->command[i]->summary, out);
        syn_text_string(out, "'");
    }
    syn_text_string(out, ")\n    if ((CURRENT == 2)); then _describe command commands; return; fi\n"
                         "    local command=$words[2]\n    shift words; ((CURRENT--))\n"
                         "    case $command in\n");
    for (size_t i = 0; i < program->count; i++) {
        syn_text_format(out, "        %s) _arguments", program->command[i]->name);
        for_options(program->command[i], out, zsh_option);
        syn_text_string(out, program->command[i]->argument_is_command
                                 ? " \\\n            '*:: :_normal' ;;\n"
                                 : " \\\n            '*:trace:_files -/' ;;\n");
    }
    /* A file in fpath is the function itself; text that eval gets makes it known. */
    syn_text_format(out,
                    "    esac\n}\nif [ \"$funcstack[1]\" = _%s ]; then _%s \"$@\"; else compdef "
                    "_%s %s; fi\n",
                    program->name, program->name, program->name, program->name);
}

/* ---- fish ---- */

static void fish_text(const char *text, struct syn_text *out)
{
    for (; *text; text++)
        syn_text_format(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void fish_option(const struct syn_cli_command *command, const struct syn_cli_option *option,
                        struct syn_text *out)
{
    syn_text_format(out, "complete -c syncopate -n '__fish_seen_subcommand_from %s'",
                    command->name);
    if (option->letter)
        syn_text_format(out, " -s %c", option->letter);
    if (option->name)
        syn_text_format(out, " -l %s", option->name);
    if (is_listed(option) && is_list(option))
        syn_text_format(out,
                        " -x -a '(__fish_complete_list , \"string split \\\" \\\" \\\"%s\\\"\")'",
                        option->words);
    else if (is_listed(option))
        syn_text_format(out, " -x -a '%s'", option->words);
    else if (option->value)
        syn_text_string(out, " -r");
    syn_text_string(out, " -d '");
    fish_text(option->help, out);
    syn_text_string(out, "'\n");
}

static void fish(const struct syn_cli_program *program, struct syn_text *out)
{
    syn_text_format(out, "# completion of %s for fish\n", program->name);
    for (size_t i = 0; i < program->count; i++) {
        syn_text_format(out, "complete -c %s -n __fish_use_subcommand -f -a %s -d '", program->name,
                        program->command[i]->name);
        fish_text(program->command[i]->summary, out);
        syn_text_string(out, "'\n");
        for_options(program->command[i], out, fish_option);
    }
}

int syn_cli_completion(const struct syn_cli_program *program, const char *shell,
                       struct syn_text *out)
{
    static void (*const writers[])(const struct syn_cli_program *, struct syn_text *) = {bash, zsh,
                                                                                         fish};
    const int which = syn_cli_choice("bash zsh fish", shell);
    if (which < 0)
        return which;
    writers[which](program, out);
    return 0;
}
