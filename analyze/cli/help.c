/* analyze/cli/help.c - writes the text of --help from a command's table. */
#include <stdio.h>
#include <string.h>

#include "analyze/cli/cli.h"
#include "analyze/print/text.h"

#define WIDTH       80
#define NAME_COLUMN 21 /* column of the descriptions; a longer name has a line of its own */

static void option_lines(const struct syn_cli_option *option, struct syn_text *out)
{
    char names[96], first[128];
    /* "  -o, --output DIR" */
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c%s", option->letter, option->name ? ", " : "");
    snprintf(names, sizeof names, "  %s%s%s%s%s", letter, option->name ? "--" : "",
             option->name ? option->name : "", option->value ? " " : "",
             option->value ? option->value : "");
    if (strlen(names) + 2 > NAME_COLUMN) {
        syn_text_format(out, "%s\n", names);
        names[0] = '\0';
    }
    snprintf(first, sizeof first, "%-*s", NAME_COLUMN, names);
    syn_text_wrapped(out, WIDTH, NAME_COLUMN, first, option->help);
}

/* Writes paragraphs, wrapped, with a blank line between them. A paragraph that begins with a blank
 * is not wrapped. */
static void paragraphs(const char *text, struct syn_text *out)
{
    char copy[2048];
    while (text && *text) {
        const char *end = strstr(text, "\n\n");
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        snprintf(copy, sizeof copy, "%.*s", (int)length, text);
        if (*copy == ' ')
            syn_text_format(out, "%s\n", copy);
        else
            syn_text_wrapped(out, WIDTH, 0, "", copy);
        text += length + (end ? 2 : 0);
        if (*text)
            syn_text_char(out, '\n');
    }
}

void syn_cli_help(const struct syn_cli_command *command, struct syn_text *out)
{
    static const struct syn_cli_option help = {"help", 'h', NULL, NULL, "this text", NULL, NULL};
    const char *usage = command->usage;
    const char *head = "usage: ";
    while (*usage) {
        const size_t length = strcspn(usage, "\n");
        syn_text_format(out, "%s%.*s\n", head, (int)length, usage);
        usage += length + (usage[length] == '\n');
        head = "       ";
    }
    syn_text_char(out, '\n');
    paragraphs(command->description, out);
    for (size_t i = 0; i < command->section_count; i++) {
        const struct syn_cli_section *section = &command->section[i];
        if (i == 0 || section->title)
            syn_text_char(out, '\n');
        if (section->title)
            syn_text_format(out, "%s:\n", section->title);
        for (size_t j = 0; j < section->count; j++)
            option_lines(&section->option[j], out);
    }
    syn_text_string(out, command->section_count ? "" : "\n");
    option_lines(&help, out);
    if (command->notes) {
        syn_text_char(out, '\n');
        paragraphs(command->notes, out);
    }
}

void syn_cli_help_all(const struct syn_cli_program *program, struct syn_text *out)
{
    syn_text_format(out, "usage: %s COMMAND [OPTION...] [ARGUMENT...]\n\n", program->name);
    paragraphs(program->summary, out);
    syn_text_char(out, '\n');
    for (size_t i = 0; i < program->count; i++)
        syn_text_format(out, "  %-8s  %s\n", program->command[i]->name,
                        program->command[i]->summary);
    syn_text_char(out, '\n');
    paragraphs(program->notes, out);
}
