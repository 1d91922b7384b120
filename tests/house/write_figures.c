/* write_figures.c - writes the JSON schemas and the page of all figures from the rows of figures
 * (analyze/print/figures/figure_row.h). figures.sh holds docs/ against both.
 *
 * usage: write_figures report|diff|hang|tune|page  the schema of that command; the page
 */
#include <stdio.h>
#include <string.h>

#include "analyze/diff/diff.h"
#include "analyze/print/figures/figure_tables.h"
#include "analyze/print/json.h"
#include "analyze/report/findings/details.h"
#include "analyze/report/findings/efficiency_rows.h"
#include "analyze/report/findings/message_lines.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/report/sections/segments.h"
#include "analyze/report/sections/time_slices.h"
#include "analyze/tune/tune.h"

#include "analyze/hang/hang.def"
#include "analyze/match/match.def"
#include "analyze/report/figures/figures.def"
#include "analyze/report/findings/report.def"

#include "analyze/diff/diff.def"
#include "analyze/tune/tune.def"

#define O struct syn_examination
OBJECT(hang_answer, BLOCK, "syncopate hang --format json")
MADE(integer, schema, "", 1,
     "the version of these keys: another one where a key goes, or changes its type or meaning")
MADE(word, trace, "", "", "its directory")
SPREAD(examination, o)
END(hang_answer)
#undef O

#define O struct tune_session
OBJECT(tune_answer, BLOCK, "syncopate tune --format json")
MADE(integer, schema, "", 1,
     "the version of these keys: another one where a key goes, or changes its type or meaning")
SPREAD(tune_session, o)
END(tune_answer)
#undef O

#define OBJECTS_MOST 100
/* Commands whose objects have their place on the page. */
#define PAGE_COMMANDS 3

/* All objects that a report holds, each once, those that hold others first. */
struct objects {
    const struct syn_figure_object *object[OBJECTS_MOST];
    size_t count;
};

/* Facts about a row from the rows in front of it. */
struct said {
    bool is_optional, is_nullable;
    const char *column;
    const struct syn_figure_object *also;
};

typedef void (*with_row)(void *ctx, const struct syn_figure_row *row, const struct said *said);

/* `outside`: of the row that spreads the object. */
static void each_row_of(const struct syn_figure_object *object, const struct said *outside,
                        with_row use, void *ctx)
{
    struct said said = *outside;
    for (size_t i = 0; i < object->count; i++) {
        const struct syn_figure_row *row = &object->row[i];
        switch (row->how) {
        case SYN_FIGURE_in_csv:
            said.column = row->name;
            continue;
        case SYN_FIGURE_optional:
            said.is_optional = true;
            continue;
        case SYN_FIGURE_nullable:
            said.is_nullable = true;
            continue;
        case SYN_FIGURE_also:
            said.also = row->inner;
            continue;
        case SYN_FIGURE_spread:
            each_row_of(row->inner, &said, use, ctx);
            break;
        default:
            use(ctx, row, &said);
        }
        said = *outside;
    }
}

static void each_row(const struct syn_figure_object *object, with_row use, void *ctx)
{
    each_row_of(object, &(struct said){0}, use, ctx);
}

static void add_object(struct objects *objects, const struct syn_figure_object *object);

static void add_inner(void *ctx, const struct syn_figure_row *row, const struct said *said)
{
    if (row->inner)
        add_object(ctx, row->inner);
    if (said->also)
        add_object(ctx, said->also);
}

static void add_object(struct objects *objects, const struct syn_figure_object *object)
{
    for (size_t i = 0; i < objects->count; i++)
        if (objects->object[i] == object)
            return;
    if (objects->count < OBJECTS_MOST)
        objects->object[objects->count++] = object;
    each_row(object, add_inner, objects);
}

/* ---- schema ---- */

static void write_type(struct syn_json *json, enum syn_figure_how how, bool is_nullable)
{
    const char *type = how == SYN_FIGURE_count || how == SYN_FIGURE_integer ? "integer"
                       : how == SYN_FIGURE_boolean                          ? "boolean"
                       : how == SYN_FIGURE_text || how == SYN_FIGURE_word   ? "string"
                       : how == SYN_FIGURE_point                            ? "array"
                                                                            : "number";
    is_nullable |= how == SYN_FIGURE_figure || how == SYN_FIGURE_text;
    if (!is_nullable) {
        syn_json_string(json, "type", type);
    } else {
        syn_json_open(json, "type", '[');
        syn_json_string(json, NULL, type);
        syn_json_string(json, NULL, "null");
        syn_json_close(json);
    }
    if (how == SYN_FIGURE_count)
        syn_json_integer(json, "minimum", 0);
    if (how == SYN_FIGURE_point) {
        syn_json_open(json, "items", '{');
        write_type(json, SYN_FIGURE_figure, false);
        syn_json_close(json);
    }
}

static void write_reference(struct syn_json *json, const struct syn_figure_object *object)
{
    char place[80];
    snprintf(place, sizeof place, "#/$defs/%s", object->name);
    syn_json_string(json, "$ref", place);
}

/* An object, or one of two, the second of which NULL is null. */
static void write_either(struct syn_json *json, const struct syn_figure_object *object,
                         const struct syn_figure_object *other)
{
    syn_json_open(json, "anyOf", '[');
    syn_json_open(json, NULL, '{');
    write_reference(json, object);
    syn_json_close(json);
    syn_json_open(json, NULL, '{');
    if (other)
        write_reference(json, other);
    else
        syn_json_string(json, "type", "null");
    syn_json_close(json);
    syn_json_close(json);
}

static void write_list_type(struct syn_json *json, bool is_nullable)
{
    if (!is_nullable) {
        syn_json_string(json, "type", "array");
        return;
    }
    syn_json_open_line(json, "type", '[');
    syn_json_string(json, NULL, "array");
    syn_json_string(json, NULL, "null");
    syn_json_close(json);
}

static void write_value(struct syn_json *json, const struct syn_figure_row *row,
                        const struct said *said)
{
    const bool is_list = row->how == SYN_FIGURE_list || row->is_array;
    if (is_list) {
        write_list_type(json, said->is_nullable);
        syn_json_open(json, "items", '{');
    }
    if (row->how == SYN_FIGURE_words) {
        syn_json_string(json, "type", "object");
        syn_json_open(json, "additionalProperties", '{');
        write_type(json, SYN_FIGURE_word, false);
        syn_json_close(json);
    } else if (said->also)
        write_either(json, row->inner, said->also);
    else if (row->how == SYN_FIGURE_object && said->is_nullable)
        write_either(json, row->inner, NULL);
    else if (row->inner)
        write_reference(json, row->inner);
    else
        write_type(json, row->how, said->is_nullable && !is_list);
    if (is_list)
        syn_json_close(json);
}

static void write_property(void *ctx, const struct syn_figure_row *row, const struct said *said)
{
    struct syn_json *json = ctx;
    char words[400];
    if (row->how == SYN_FIGURE_column)
        return;
    syn_json_open_line(json, row->name, '{');
    write_value(json, row, said);
    const char *unit = row->unit && row->unit[0] ? row->unit : NULL;
    snprintf(words, sizeof words, "%s%s%s%s", row->meaning, unit ? " (" : "", unit ? unit : "",
             unit ? ")" : "");
    if (words[0])
        syn_json_string(json, "description", words);
    if (strcmp(row->name, "schema") == 0)
        syn_json_integer(json, "const", 1);
    syn_json_close(json);
}

static void write_required(void *ctx, const struct syn_figure_row *row, const struct said *said)
{
    if (!said->is_optional && row->how != SYN_FIGURE_column)
        syn_json_string(ctx, NULL, row->name);
}

static void write_definition(struct syn_json *json, const struct syn_figure_object *object)
{
    syn_json_string(json, "type", "object");
    syn_json_open(json, "properties", '{');
    each_row(object, write_property, json);
    syn_json_close(json);
    syn_json_open_line(json, "required", '[');
    each_row(object, write_required, json);
    syn_json_close(json);
}

static void write_schema(const struct objects *objects, struct syn_text *text)
{
    struct syn_json json = syn_json_start(text);
    syn_json_open(&json, NULL, '{');
    syn_json_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    syn_json_string(&json, "title", objects->object[0]->about);
    syn_json_string(&json, "description",
                    "Written from the rows of the figures (tests/house/figures.sh). The promise: "
                    "docs/schema/README.md.");
    write_definition(&json, objects->object[0]);
    syn_json_open(&json, "$defs", '{');
    for (size_t i = 1; i < objects->count; i++) {
        syn_json_open(&json, objects->object[i]->name, '{');
        syn_json_string(&json, "description", objects->object[i]->about);
        write_definition(&json, objects->object[i]);
        syn_json_close(&json);
    }
    syn_json_close(&json);
    syn_json_close(&json);
}

/* ---- page ---- */

/* The object that is looked for, and the one that it is looked for in. */
struct search {
    const struct syn_figure_object *object, *in;
    struct syn_text *text;
    size_t found;
    bool is_metric;    /* its columns are named after the key that holds it */
    bool says_nothing; /* a row has no meaning */
};

static void write_place(void *ctx, const struct syn_figure_row *row, const struct said *said)
{
    struct search *search = ctx;
    if (row->inner != search->object && said->also != search->object)
        return;
    search->is_metric |= row->how == SYN_FIGURE_object && said->column;
    syn_text_format(search->text, "%s`%s` of a %s", search->found++ ? ", " : "", row->name,
                    search->in->name);
}

/* A row says what it holds, or its object does. */
static void write_line(void *ctx, const struct syn_figure_row *row, const struct said *said)
{
    struct search *search = ctx;
    struct syn_text *text = search->text;
    const char *metric = search->is_metric ? "METRIC_" : "";
    if (row->how == SYN_FIGURE_column) {
        syn_text_format(text, "|||`%s`|in CSV alone|\n", said->column);
        return;
    }
    search->says_nothing |= !row->inner && !row->meaning[0];
    syn_text_format(text, "|`%s`|%s|", row->name, row->unit ? row->unit : "");
    if (said->column && row->how != SYN_FIGURE_object)
        syn_text_format(text, "`%s%s`", metric, said->column);
    syn_text_char(text, '|');
    if (row->inner)
        syn_text_format(text, "%s[%s](#%s)%s", row->how == SYN_FIGURE_list ? "list of " : "",
                        row->inner->name, row->inner->name, row->meaning[0] ? ": " : "");
    syn_text_format(text, "%s|\n", row->meaning);
}

static void write_object(const struct objects *objects, size_t number, struct syn_text *text)
{
    struct syn_text places = {0};
    struct search search = {.object = objects->object[number], .text = &places};
    for (size_t i = 0; i < objects->count; i++) {
        search.in = objects->object[i];
        each_row(search.in, write_place, &search);
    }
    syn_text_format(text, "\n### %s\n\n%s.%s%s%s\n\n|key|unit|CSV|holds|\n|---|---|---|---|\n",
                    search.object->name, search.object->about, search.found ? " In: " : "",
                    syn_text_chars(&places), search.found ? "." : "");
    search.text = text;
    each_row(search.object, write_line, &search);
    if (search.says_nothing) {
        fprintf(stderr, "a row of %s does not say what it holds\n", search.object->name);
        text->failed = true;
    }
    syn_text_free(&places);
}

static void write_page(const struct objects *objects, struct syn_text *text)
{
    syn_text_string(
        text,
        "# All figures of report, diff and tune\n\n"
        "For whoever reads their JSON or CSV. [reports.md](reports.md) explains the words, "
        "[methods-statistics.md](methods-statistics.md) how\n"
        "each statistic is computed, [methods-causes.md](methods-causes.md) what causes are. "
        "`tests/house/figures.sh` writes this page\n"
        "and the schemas of these commands from the program's own rows of figures.\n\n"
        "- A figure that cannot be had is null in JSON and empty in CSV; the `notes` of a group "
        "say "
        "why.\n"
        "- CSV has a line a group; in a report with `--by segment` or `--by time` it has a line a "
        "segment or "
        "slice. Its columns are named below.\n"
        "  METRIC is `completion`, `spread`, `operation`, `exit_skew`, `local_max` or `wait`; of a "
        "diff it is `a` or `b`.\n"
        "- `report --sort` takes a metric (its median), METRIC.KEY, or OBJECT.KEY of another "
        "object of a "
        "group: `completion.p99`,\n"
        "  `anova.p`, `wait.share`, `flagged.failed`.\n");
    for (size_t i = 0; i < objects->count; i++)
        write_object(objects, i, text);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        const struct syn_figure_object *object;
    } command[] = {{"report", &report_object},
                   {"diff", &diff_object},
                   {"hang", &hang_answer_object},
                   {"tune", &tune_answer_object}};
    const char *what = argc == 2 ? argv[1] : "";
    const bool is_page = strcmp(what, "page") == 0;
    struct objects objects = {0};
    struct syn_text text = {0};
    for (size_t i = 0; i < sizeof command / sizeof *command; i++)
        if ((is_page && i < PAGE_COMMANDS) || strcmp(what, command[i].name) == 0)
            add_object(&objects, command[i].object);
    if (objects.count == 0)
        return 2;
    (is_page ? write_page : write_schema)(&objects, &text);
    fputs(syn_text_chars(&text), stdout);
    const int failed = text.failed || objects.count == OBJECTS_MOST;
    syn_text_free(&text);
    return failed;
}
