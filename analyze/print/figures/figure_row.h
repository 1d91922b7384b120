/* analyze/print/figures/figure_row.h - how files *.def describe figures: each figure is a row of
 * name, unit, member and meaning.
 *
 * Files *.def list the objects of a report, each with its rows. Each use of the rows is an
 * expansion of the same list:
 *
 *     *.def --- figure_walk.h ------> the object's values, in JSON and CSV  (report_figures.c)
 *           --- figure_tables.h ----> struct syn_figure_row: --sort, docs/schema, docs/figures.md
 *
 * The macros of a list are
 *
 *     #define O struct syn_anova_or_so                the type that `o` points to in expressions
 *     STRUCTURE(id)                                   begins a structure; each of its members is
 *                                                     named before STRUCTURE_END
 *     OBJECT(id, LINE or BLOCK, "about")              an object of JSON, on one line or on several
 *     ROW(how, name, unit, member, meaning)           o->member
 *     MADE(how, name, unit, expression, meaning)      computed when it is written
 *     ARRAY(how, name, unit, member, meaning)         a member that is an array
 *     CSV(place, column, row)                         the row is a column of CSV, too; columns of a
 *                                                     lower SYN_PLACE_##place stand further left
 *     WHERE(condition, row)                           JSON has the key only if the condition holds
 *     COLUMN(how, expression)                         inside CSV(): a column that JSON lacks
 *     KNOWN(condition, row)                           null unless the condition holds
 *     KNOWN_IN_CSV(condition, row)                    empty in CSV unless the condition holds
 *     INNER(name, id, pointer, meaning)               an object inside this one
 *     INNER_IF(name, id, condition, pointer, meaning) likewise; null unless the condition holds
 *     SPREAD(id, pointer)                             the rows of a PART or an OBJECT, as rows of
 *                                                     this object
 *     LIST(name, id, count, pointer, meaning)         an array of objects; `pointer` is of object i
 *     LIST_BY(name, id, function, meaning)            an array that function(to, o) fills
 *     ALSO(id)                                        the next LIST_BY holds objects `id`, too
 *     VALUES(how, name, style, unit, count, value, meaning)  an array of plain values; `value` is
 *                                                     of value i; style: LINE or BLOCK
 *     VALUES_BY(how, name, style, unit, function, meaning)   likewise; function(to, o) fills it
 *     WORDS_BY(name, function, meaning)               an object of strings; function(to, o) writes
 *                                                     its keys and values
 *     END(id)                                         ends an OBJECT or a PART
 *     PART(id) ... END(id)                            rows for SPREAD
 *     LEFT_OUT(member)                                a member without a row of its own
 *     STRUCTURE_END(id)
 *     #undef O
 *
 * For example {"mean": 3.5, "low": 3, "high": 4}, with "mean" as a column of CSV, is
 *
 *     PART(ends) ROW(figure, low, "ns", low, "one end")
 *     ROW(figure, high, "ns", high, "the other end") END(ends)
 *     OBJECT(estimate, LINE, "An estimate")
 *     CSV(KEYS, mean, ROW(figure, mean, "ns", mean, "the mean")) SPREAD(ends, o) END(estimate)
 *
 * An expression may use `o`, and `to`, which has the report. `how` is one of enum
 * syn_figure_how. */
#ifndef SYN_FIGURE_ROW_H
#define SYN_FIGURE_ROW_H

#include <stdbool.h>
#include <stddef.h>

enum syn_figure_how {
    SYN_FIGURE_figure,  /* double; null if not finite */
    SYN_FIGURE_number,  /* double, always known */
    SYN_FIGURE_whole,   /* like number; no decimals in CSV */
    SYN_FIGURE_count,   /* unsigned */
    SYN_FIGURE_integer, /* signed */
    SYN_FIGURE_boolean,
    SYN_FIGURE_text,  /* string or null */
    SYN_FIGURE_word,  /* string, never null */
    SYN_FIGURE_point, /* an array of two figures */
    /* not plain values: */
    SYN_FIGURE_object,
    SYN_FIGURE_spread,
    SYN_FIGURE_list,
    SYN_FIGURE_words,
    SYN_FIGURE_column, /* in CSV only */
    /* properties of the next row: */
    SYN_FIGURE_in_csv,
    SYN_FIGURE_optional,
    SYN_FIGURE_nullable,
    SYN_FIGURE_also
};

/* The type of a ROW's member. */
enum syn_member_kind {
    SYN_MEMBER_TEXT,
    SYN_MEMBER_BOOL,
    SYN_MEMBER_UNSIGNED,
    SYN_MEMBER_SIGNED,
    SYN_MEMBER_DOUBLE
};
struct syn_figure_member {
    size_t at, bytes; /* offset and size in the structure; bytes 0: no member */
    enum syn_member_kind kind;
};

struct syn_figure_object;
struct syn_figure_row {
    const char *name; /* key in JSON; for in_csv the column of CSV */
    enum syn_figure_how how;
    const char *unit, *meaning;
    bool is_array;                         /* an array of plain values */
    const struct syn_figure_object *inner; /* for object, spread, list and also */
    struct syn_figure_member member;
};

struct syn_figure_object {
    const char *name, *about;
    const char *structure; /* such as "struct syn_figures" */
    const struct syn_figure_row *row;
    size_t count;
};

/* Returns the row of that name, in an object or in the objects that it spreads. NULL: none. */
const struct syn_figure_row *syn_figure_row_named(const struct syn_figure_object *object,
                                                  const char *name);
/* Returns the value of a row's member in `structure`. Requires syn_figure_row_is_number(row). */
double syn_figure_row_value(const struct syn_figure_row *row, const void *structure);
/* Returns true if the row has a member that is a number or a bool. */
bool syn_figure_row_is_number(const struct syn_figure_row *row);

#endif
