/* analyze/cli/completion.c - writes the completion scripts of three shells, from the tables that
 * --help uses: commands, options, and the choices of options that have some.
 *
 * An option's `value` is its placeholder in the help (NULL: it takes none); `words` are its
 * choices. If `words` begins with "/", files are completed. A function for each shell goes over the
 * commands and, with for_options, over their options:
 *
 *     bash   a case for each option with choices, and the list of each command's options; the
 *            first word may also be help, --help or --version
 *     zsh    a call of _arguments for each command
 *     fish   a line "complete" for each command and for each option */
#include <string.h>

#include "analyze/cli/cli.h"

/* Calls `put` for every option of a command. */
static void for_options(const struct syn_cli_program *program,
                        const struct syn_cli_command *command, struct syn_text *out,
                        void (*put)(const struct syn_cli_program *program,
                                    const struct syn_cli_command *command,
                                    const struct syn_cli_option *option, struct syn_text *out))
{
    for (size_t i = 0; i < command->section_count; i++)
        for (size_t j = 0; j < command->section[i].count; j++)
            put(program, command, &command->section[i].option[j], out);
}

/* Says whether an option has choices. Files ("/") are none. */
static bool has_choices(const struct syn_cli_option *option)
{
    return option->value && option->words && *option->words && *option->words != '/';
}

/* Says whether an option's value is a list with commas: its placeholder is then LIST or KEYS. */
static bool takes_list(const struct syn_cli_option *option)
{
    return strcmp(option->value, "LIST") == 0 || strcmp(option->value, "KEYS") == 0;
}

/* ---- bash ---- */

/* Writes the function _PROGRAM_words, which completes $word, or its part after the last comma, with
 * the choices in $1. The caller of that function has the local variables $word (the text to
 * complete) and $front (the text before it in the same word of the shell: "--format=" or nothing).
 * Each answer begins with $front and the part of $word up to the last comma. */
static void put_bash_words_function(const struct syn_cli_program *program, struct syn_text *out)
{
    syn_text_format(out,
                    "_%s_words() {\n"
                    "    local head=$front\n"
                    "    case $word in *,*) head=$front${word%%,*}, ;; esac\n"
                    "    COMPREPLY=($(compgen -P \"$head\" -W \"$1\" -- \"${word##*,}\"))\n"
                    "}\n",
                    program->name);
}

/* Writes an option's name, or its letter if it has no name. */
static void put_bash_name(const struct syn_cli_program *program,
                          const struct syn_cli_command *command,
                          const struct syn_cli_option *option, struct syn_text *out)
{
    (void)program;
    (void)command;
    if (option->name)
        syn_text_format(out, "--%s ", option->name);
    else
        syn_text_format(out, "-%c ", option->letter);
}

/* Writes the case of an option that has choices. */
static void put_bash_choices(const struct syn_cli_program *program,
                             const struct syn_cli_command *command,
                             const struct syn_cli_option *option, struct syn_text *out)
{
    if (has_choices(option) && option->name)
        syn_text_format(out, "        %s:--%s) _%s_words '%s'; return ;;\n", command->name,
                        option->name, program->name, option->words);
}

/* Writes bash's script. Its three cases before the first `fi` find the option ($before) whose value
 * is completed ($word). If COMP_WORDBREAKS has "=", "=" is a word of its own: it is then the word
 * to complete, which is still empty, or the word before that. Else --format=j is one word, which is
 * split. */
static void put_bash(const struct syn_cli_program *program, struct syn_text *out)
{
    syn_text_format(out, "# completion of %s for bash\n", program->name);
    put_bash_words_function(program, out);
    syn_text_format(out,
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
                    program->name);
    for (size_t i = 0; i < program->count; i++)
        syn_text_format(out, "%s ", program->command[i]->name);
    syn_text_string(out, "help --help --version' -- \"$word\")); return\n    fi\n"
                         "    case $command:$before in\n");
    for (size_t i = 0; i < program->count; i++)
        for_options(program, program->command[i], out, put_bash_choices);
    syn_text_string(out, "    esac\n    case $word in -*) case $command in\n");
    for (size_t i = 0; i < program->count; i++) {
        syn_text_format(out, "        %s) COMPREPLY=($(compgen -W '", program->command[i]->name);
        for_options(program, program->command[i], out, put_bash_name);
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

/* Writes text escaped for single quotes and brackets. */
static void put_zsh_text(const char *text, struct syn_text *out)
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

/* Writes an option for _arguments. RATIONALE: the braces of an option with a letter and a name are
 * outside the quotes, so that zsh expands them to one argument for each. */
static void put_zsh_option(const struct syn_cli_program *program,
                           const struct syn_cli_command *command,
                           const struct syn_cli_option *option, struct syn_text *out)
{
    (void)program;
    (void)command;
    if (option->name && option->letter)
        syn_text_format(out, " \\\n            {-%c%s,--%s%s}'[", option->letter,
                        option->value ? "+" : "", option->name, option->value ? "=" : "");
    else if (option->name)
        syn_text_format(out, " \\\n            '--%s%s[", option->name, option->value ? "=" : "");
    else
        syn_text_format(out, " \\\n            '-%c[", option->letter);
    put_zsh_text(option->help, out);
    syn_text_string(out, "]");
    if (option->value) {
        syn_text_format(out, ":%s:", option->value);
        if (has_choices(option) && takes_list(option))
            syn_text_format(out, "_values -s , %s %s", option->value, option->words);
        else if (has_choices(option))
            syn_text_format(out, "(%s)", option->words);
        else if (option->words && *option->words == '/')
            syn_text_string(out, "_files");
    }
    syn_text_string(out, "'");
}

/* Writes zsh's script. */
static void put_zsh(const struct syn_cli_program *program, struct syn_text *out)
{
    syn_text_format(out,
                    "#compdef %s\n# completion of %s for zsh\n_%s() {\n    local -a commands=(",
                    program->name, program->name, program->name);
    for (size_t i = 0; i < program->count; i++) {
        syn_text_format(out, "\n        '%s:", program->command[i]->name);
        put_zsh_text(program->command[i]->summary, out);
        syn_text_string(out, "'");
    }
    syn_text_string(out, ")\n    if ((CURRENT == 2)); then _describe command commands; return; fi\n"
                         "    local command=$words[2]\n    shift words; ((CURRENT--))\n"
                         "    case $command in\n");
    for (size_t i = 0; i < program->count; i++) {
        syn_text_format(out, "        %s) _arguments", program->command[i]->name);
        for_options(program, program->command[i], out, put_zsh_option);
        syn_text_string(out, program->command[i]->argument_is_command
                                 ? " \\\n            '*:: :_normal' ;;\n"
                                 : " \\\n            '*:trace:_files -/' ;;\n");
    }
    /* A file in fpath runs as the function itself. Text that is given to eval has to register the
     * function. */
    syn_text_format(out,
                    "    esac\n}\nif [ \"$funcstack[1]\" = _%s ]; then _%s \"$@\"; else compdef "
                    "_%s %s; fi\n",
                    program->name, program->name, program->name, program->name);
}

/* ---- fish ---- */

/* Writes text escaped for single quotes. */
static void put_fish_text(const char *text, struct syn_text *out)
{
    for (; *text; text++)
        syn_text_format(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
}

/* Writes an option's line. */
static void put_fish_option(const struct syn_cli_program *program,
                            const struct syn_cli_command *command,
                            const struct syn_cli_option *option, struct syn_text *out)
{
    syn_text_format(out, "complete -c %s -n '__fish_seen_subcommand_from %s'", program->name,
                    command->name);
    if (option->letter)
        syn_text_format(out, " -s %c", option->letter);
    if (option->name)
        syn_text_format(out, " -l %s", option->name);
    if (has_choices(option) && takes_list(option))
        syn_text_format(out,
                        " -x -a '(__fish_complete_list , \"string split \\\" \\\" \\\"%s\\\"\")'",
                        option->words);
    else if (has_choices(option))
        syn_text_format(out, " -x -a '%s'", option->words);
    else if (option->value)
        syn_text_string(out, " -r");
    syn_text_string(out, " -d '");
    put_fish_text(option->help, out);
    syn_text_string(out, "'\n");
}

/* Writes fish's script. */
static void put_fish(const struct syn_cli_program *program, struct syn_text *out)
{
    syn_text_format(out, "# completion of %s for fish\n", program->name);
    for (size_t i = 0; i < program->count; i++) {
        syn_text_format(out, "complete -c %s -n __fish_use_subcommand -f -a %s -d '", program->name,
                        program->command[i]->name);
        put_fish_text(program->command[i]->summary, out);
        syn_text_string(out, "'\n");
        for_options(program, program->command[i], out, put_fish_option);
    }
}

int syn_cli_completion(const struct syn_cli_program *program, const char *shell,
                       struct syn_text *out)
{
    static void (*const writers[])(const struct syn_cli_program *,
                                   struct syn_text *) = {put_bash, put_zsh, put_fish};
    const int chosen = syn_cli_choice("bash zsh fish", shell);
    if (chosen < 0)
        return chosen;
    writers[chosen](program, out);
    return 0;
}
