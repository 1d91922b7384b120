/* analyze/cli/man.c - writes manual pages as man(7) troff, from the tables that --help uses. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyze/cli/cli.h"

/* Writes text so that troff shows it unchanged: hyphens stay hyphens, and no line is a request. */
static void escaped(const char *text, size_t length, struct syn_text *out)
{
    for (size_t i = 0; i < length && text[i]; i++) {
        const bool starts_line = i == 0 || text[i - 1] == '\n';
        if (starts_line && (text[i] == '.' || text[i] == '\''))
            syn_text_string(out, "\\&");
        if (text[i] == '-' || text[i] == '\\')
            syn_text_string(out, text[i] == '-' ? "\\-" : "\\e");
        else
            syn_text_char(out, text[i]);
    }
}

static void paragraphs(const char *text, struct syn_text *out)
{
    while (text && *text) {
        const char *end = strstr(text, "\n\n");
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        syn_text_string(out, *text == ' ' ? ".PP\n.nf\n" : ".PP\n");
        escaped(text, length, out);
        syn_text_string(out, *text == ' ' ? "\n.fi\n" : "\n");
        text += length + (end ? 2 : 0);
    }
}

static void option_entry(const struct syn_cli_option *option, struct syn_text *out)
{
    syn_text_string(out, ".TP\n");
    if (option->letter)
        syn_text_format(out, "\\fB\\-%c\\fR%s", option->letter, option->name ? ", " : "");
    if (option->name) {
        syn_text_string(out, "\\fB\\-\\-");
        escaped(option->name, strlen(option->name), out);
        syn_text_string(out, "\\fR");
    }
    if (option->value)
        syn_text_format(out, " \\fI%s\\fR", option->value);
    syn_text_char(out, '\n');
    escaped(option->help, strlen(option->help), out);
    syn_text_string(out, ".\n");
}

static void environment(const struct syn_cli_command *command, struct syn_text *out)
{
    if (command->variable_count == 0)
        return;
    syn_text_string(out, ".SH ENVIRONMENT\n");
    for (size_t i = command->variable_section; i > 0 && i < command->section_count; i++)
        for (size_t j = 0; j < command->section[i].count; j++) {
            /* "sync-budget" becomes SYNCOPATE_SYNC_BUDGET. */
            const char *name = command->section[i].option[j].name;
            syn_text_string(out, ".TP\n\\fBSYNCOPATE_");
            for (const char *c = name; *c; c++)
                syn_text_char(out, *c == '-' ? '_' : (char)toupper((unsigned char)*c));
            syn_text_string(out, "\\fR\nAs \\fB\\-\\-");
            escaped(name, strlen(name), out);
            syn_text_string(out, "\\fR.\n");
        }
    for (size_t i = 0; i < command->variable_count; i++) {
        syn_text_format(out, ".TP\n\\fB%s\\fR\n", command->variable[i].name);
        escaped(command->variable[i].help, strlen(command->variable[i].help), out);
        syn_text_string(out, ".\n");
    }
}

static void examples(const char *lines, struct syn_text *out)
{
    syn_text_string(out, ".SH EXAMPLES\n.nf\n");
    escaped(lines, strlen(lines), out);
    syn_text_string(out, "\n.fi\n");
}

static void usage(const char *lines, struct syn_text *out)
{
    syn_text_string(out, ".SH SYNOPSIS\n.nf\n");
    escaped(lines, strlen(lines), out);
    syn_text_string(out, "\n.fi\n");
}

static void see_also(const struct syn_cli_program *program, const struct syn_cli_command *but,
                     struct syn_text *out)
{
    syn_text_format(out, ".SH SEE ALSO\n");
    if (but)
        syn_text_format(out, ".BR %s (1)", program->name);
    for (size_t i = 0; i < program->count; i++)
        if (program->command[i] != but)
            syn_text_format(out, "%s.BR %s\\-%s (1)", but || i ? ",\n" : "", program->name,
                            program->command[i]->name);
    syn_text_format(out, ",\n.BR %s\\-backend (1)\n", program->name);
}

static void heading(const char *name, const char *sub, const char *summary, struct syn_text *out)
{
    char page[64];
    snprintf(page, sizeof page, "%s%s%s", name, *sub ? "-" : "", sub);
    syn_text_string(out, ".TH ");
    for (const char *c = page; *c; c++)
        syn_text_format(out, *c == '-' ? "\\-" : "%c", toupper((unsigned char)*c));
    syn_text_format(out, " 1 \"\" \"syncopate %s\" \"User Commands\"\n.SH NAME\n", SYN_VERSION);
    escaped(page, strlen(page), out);
    syn_text_string(out, " \\- ");
    escaped(summary, strlen(summary), out);
    syn_text_char(out, '\n');
}

static void command_page(const struct syn_cli_program *program,
                         const struct syn_cli_command *command, struct syn_text *out)
{
    heading(program->name, command->name, command->summary, out);
    usage(command->usage, out);
    syn_text_string(out, ".SH DESCRIPTION\n");
    paragraphs(command->description, out);
    static const struct syn_cli_option help = {"help", 'h', NULL, NULL, "Print a summary",
                                               NULL,   NULL};
    syn_text_string(out, ".SH OPTIONS\n");
    for (size_t i = 0; i < command->section_count; i++) {
        const struct syn_cli_section *section = &command->section[i];
        if (section->title) {
            syn_text_string(out, ".SS ");
            escaped(section->title, strlen(section->title), out);
            syn_text_char(out, '\n');
        }
        for (size_t j = 0; j < section->count; j++)
            option_entry(&section->option[j], out);
    }
    option_entry(&help, out);
    environment(command, out);
    if (command->notes) {
        syn_text_string(out, ".SH NOTES\n");
        paragraphs(command->notes, out);
    }
    if (command->examples)
        examples(command->examples, out);
    see_also(program, command, out);
}

static void program_page(const struct syn_cli_program *program, struct syn_text *out)
{
    heading(program->name, "", "a profiler for MPI collectives", out);
    usage("syncopate COMMAND [OPTION...] [ARGUMENT...]", out);
    syn_text_string(out, ".SH DESCRIPTION\n");
    paragraphs(program->summary, out);
    syn_text_string(out, ".SH COMMANDS\n");
    for (size_t i = 0; i < program->count; i++) {
        syn_text_format(out, ".TP\n.BR %s\\-%s (1)\n", program->name, program->command[i]->name);
        escaped(program->command[i]->summary, strlen(program->command[i]->summary), out);
        syn_text_string(out, ".\n");
    }
    syn_text_string(out, ".SH EXAMPLES\n");
    paragraphs(program->notes, out);
    see_also(program, NULL, out);
}

void syn_cli_man(const struct syn_cli_program *program, const struct syn_cli_command *command,
                 struct syn_text *out)
{
    if (command)
        command_page(program, command, out);
    else
        program_page(program, out);
}
