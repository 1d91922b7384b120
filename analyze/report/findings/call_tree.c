/* analyze/report/findings/call_tree.c - makes a tree of groups whose sites are call paths. A path
 * names frames from the innermost outward. The tree begins at the outermost frame; operations are
 * the leaves. */
#include "analyze/report/findings/call_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/html.h"
#include "analyze/print/units.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/symbols/symbols.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define FRAMES_MAX 66 /* --stack accepts up to 64 */

/* ---- building ---- */

static size_t add_node(struct syn_call_tree *tree, size_t parent, const char *name, size_t length)
{
    if (SYN_ROOM(tree->node, tree->capacity, tree->count) != SYN_OK)
        return SIZE_MAX;
    struct syn_call_node *node = &tree->node[tree->count];
    *node = (struct syn_call_node){.name = strndup(name, length), .parent = parent};
    if (!node->name)
        return SIZE_MAX;
    if (tree->count > 0) {
        node->sibling = tree->node[parent].first_child;
        tree->node[parent].first_child = tree->count;
    }
    return tree->count++;
}

static size_t child_of(struct syn_call_tree *tree, size_t parent, const char *name, size_t length)
{
    for (size_t i = tree->node[parent].first_child; i; i = tree->node[i].sibling)
        if (strncmp(tree->node[i].name, name, length) == 0 && !tree->node[i].name[length])
            return i;
    return add_node(tree, parent, name, length);
}

struct piece {
    const char *text;
    size_t length;
};

/* Splits a path into its frames, innermost first. Returns how many. */
static size_t split(const char *path, struct piece *piece)
{
    size_t count = 0;
    while (*path && count < FRAMES_MAX) {
        const char *end = strstr(path, SYN_PATH_SEPARATOR);
        const size_t length = end ? (size_t)(end - path) : strlen(path);
        piece[count++] = (struct piece){path, length};
        path += length + (end ? strlen(SYN_PATH_SEPARATOR) : 0);
    }
    return count;
}

static void add_times(struct syn_call_node *node, const struct syn_group *group)
{
    node->call_count += group->instance_count;
    for (size_t r = 0; r < group->rank_count; r++) {
        node->inside_ns += group->rank[r].inside_ns;
        node->waiting_ns += group->rank[r].waiting_ns;
        node->caused_ns += group->rank[r].caused_ns;
    }
}

static int add_group(struct syn_call_tree *tree, const struct syn_report *report,
                     const struct syn_group *group)
{
    struct piece piece[FRAMES_MAX];
    const char *path = syn_report_site(report, group), *op = syn_report_op(group);
    size_t at = 0, depth = split(path ? path : SYN_LABEL_UNKNOWN, piece);
    add_times(&tree->node[0], group);
    while (depth-- > 0 && at != SIZE_MAX) {
        at = child_of(tree, at, piece[depth].text, piece[depth].length);
        if (at != SIZE_MAX)
            add_times(&tree->node[at], group);
    }
    if (at != SIZE_MAX)
        at = child_of(tree, at, op ? op : "*", strlen(op ? op : "*"));
    if (at == SIZE_MAX)
        return SYN_ENOMEM;
    add_times(&tree->node[at], group);
    return 0;
}

int syn_call_tree_make(const struct syn_report *report, struct syn_call_tree *out)
{
    int status = 0;
    *out = (struct syn_call_tree){0};
    if (add_node(out, 0, "", 0) == SIZE_MAX)
        return SYN_ENOMEM;
    for (size_t i = 0; i < report->groups.count && status == SYN_OK; i++)
        status = add_group(out, report, report->groups.group[i]);
    /* Sort children by time, largest first. Equal ones are sorted by name, so that the order is the
     * same everywhere. Insertion sort: few functions call many. */
    for (size_t i = 0; i < out->count && status == SYN_OK; i++) {
        size_t rest = out->node[i].first_child, sorted = 0;
        while (rest) {
            const size_t one = rest;
            size_t *link = &sorted;
            rest = out->node[one].sibling;
            const struct syn_call_node *node = out->node;
            while (*link && (node[*link].inside_ns > node[one].inside_ns ||
                             (node[*link].inside_ns == node[one].inside_ns &&
                              strcmp(node[*link].name, node[one].name) < 0)))
                link = &out->node[*link].sibling;
            out->node[one].sibling = *link;
            *link = one;
        }
        out->node[i].first_child = sorted;
    }
    return status;
}

void syn_call_tree_free(struct syn_call_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        free(tree->node[i].name);
    free(tree->node);
}

/* ---- text, and a page ---- */

struct lines {
    const struct syn_call_tree *tree;
    const struct syn_terminal *terminal; /* NULL: an HTML page */
    struct syn_text *text;
    double rank_count; /* times are shown as means over the ranks */
    size_t left;       /* lines that may still be written */
    size_t hidden;
};

/* The figures of a node as text. */
struct shown {
    char time[SYN_UNIT_BYTES], share[SYN_UNIT_BYTES], wait[SYN_UNIT_BYTES];
};

static struct shown shown_of(const struct lines *lines, const struct syn_call_node *node)
{
    const double all = lines->tree->node[0].inside_ns;
    struct shown shown;
    syn_unit_time(shown.time, node->inside_ns / lines->rank_count);
    syn_unit_share(shown.share, all > 0 ? node->inside_ns / all : 0);
    syn_unit_share(shown.wait, node->inside_ns > 0 ? node->waiting_ns / node->inside_ns : 0);
    return shown;
}

static void write_node(struct lines *lines, const struct syn_call_node *node, size_t depth)
{
    const struct shown shown = shown_of(lines, node);
    syn_text_format(lines->text, "<tr><td class=l style='padding-left:%zuem'>", depth + 1);
    syn_html_place(lines->text, node->name);
    syn_html_cell(lines->text, shown.time, false);
    syn_html_cell(lines->text, shown.share, false);
    syn_html_cell(lines->text, shown.wait, false);
    syn_text_char(lines->text, '\n');
}

static void write_line(struct lines *lines, const struct syn_call_node *node, size_t depth)
{
    const struct shown shown = shown_of(lines, node);
    const size_t indent = 2 * depth, room = lines->terminal->width - 30;
    syn_text_format(lines->text, "%9s %6s %6s  ", shown.time, shown.share, shown.wait);
    syn_text_repeat(lines->text, ' ', indent);
    syn_unit_site(lines->text, node->name, room > indent ? room - indent : SYN_PLACE_WIDTH);
    syn_text_char(lines->text, '\n');
}

static void write_below(struct lines *lines, size_t parent, size_t depth)
{
    const struct syn_call_tree *tree = lines->tree;
    for (size_t i = tree->node[parent].first_child; i; i = tree->node[i].sibling) {
        if (lines->left == 0) {
            lines->hidden++;
            continue;
        }
        lines->left--;
        (lines->terminal ? write_line : write_node)(lines, &tree->node[i], depth);
        write_below(lines, i, depth + 1);
    }
}

static struct lines lines_of(const struct syn_call_tree *tree, const struct syn_report *report,
                             const struct syn_terminal *terminal, struct syn_text *text)
{
    return (struct lines){.tree = tree,
                          .terminal = terminal,
                          .text = text,
                          .rank_count = fmax(1, syn_report_recorded_ranks(report)),
                          .left = report->options.top ? 2 * report->options.top : SIZE_MAX};
}

void syn_call_tree_html(const struct syn_call_tree *tree, const struct syn_report *report,
                        struct syn_text *text)
{
    struct lines lines = lines_of(tree, report, NULL, text);
    syn_text_string(text,
                    "<h2>Callers</h2>\n<div class=wide tabindex=0 role=region aria-label='Tree of "
                    "callers'><table class=callers><thead><tr><th class=l>called from<th>time"
                    "<th>share<th>wait</tr></thead><tbody>\n");
    write_below(&lines, 0, 0);
    syn_text_string(text, "</tbody></table></div>\n");
    if (lines.hidden)
        syn_text_format(text, "<p class=quiet>And %zu more branches (--top 0 shows all).</p>\n",
                        lines.hidden);
}

void syn_call_tree_text(const struct syn_call_tree *tree, const struct syn_report *report,
                        const struct syn_terminal *terminal, struct syn_text *text)
{
    struct lines lines = lines_of(tree, report, terminal, text);
    syn_text_format(text, "%s%9s %6s %6s  %s%s\n", syn_style_on(terminal, SYN_STYLE_BOLD), "time",
                    "share", "wait", "called from", syn_style_off(terminal));
    write_below(&lines, 0, 0);
    if (lines.hidden)
        syn_text_format(text, "... and %zu more branches (--top 0 shows all)\n", lines.hidden);
}

/* ---- folded stacks ---- */

static void put_path(const struct syn_call_tree *tree, size_t node, struct syn_text *text)
{
    if (node == 0)
        return;
    put_path(tree, tree->node[node].parent, text);
    if (tree->node[node].parent)
        syn_text_char(text, ';');
    /* write the function of the frame only: flame graphs join lines of one function */
    const char *label = tree->node[node].name;
    const char *colon = strchr(label, ':'), *blank = strchr(label, ' ');
    if (colon && blank && colon < blank && colon[1] >= '0' && colon[1] <= '9')
        label = blank + 1;
    for (; *label; label++)
        syn_text_char(text, *label == ';' ? ',' : *label);
}

void syn_report_folded(const struct syn_report *report, struct syn_text *text)
{
    SYN_CLEANUP(syn_call_tree_free) struct syn_call_tree tree = {0};
    const bool waiting = strcmp(report->options.sort, "wait") == 0;
    if (syn_call_tree_make(report, &tree))
        text->failed = true;
    for (size_t i = 1; i < tree.count && !text->failed; i++) {
        const struct syn_call_node *node = &tree.node[i];
        const double weight = waiting ? node->waiting_ns : node->inside_ns;
        if (node->first_child || weight < 1)
            continue;
        put_path(&tree, i, text);
        syn_text_format(text, " %.0f\n", weight);
    }
}
