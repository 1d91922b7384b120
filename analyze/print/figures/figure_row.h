/* analyze/print/figures/figure_row.h - a figure is one row: name, unit, member, meaning.
 *
 * Files *.def list the objects of a report, each with its rows. Each use of a row is an expansion
 * of the same list:
 *
 *     *.def --- figure_walk.h ------> the object's values, in JSON and CSV  (report_figures.c)
 *           --- figure_tables.h ----> struct syn_figure_row: --sort, docs/schema, docs/figures.md
 *
 * A list reads
 *
 *     #define O struct syn_anova_or_so                what `o` points to in the expressions
 *     STRUCTURE(id)                                   every member is named up to its end
 *     OBJECT(id, LINE or BLOCK, "about")              an object of JSON, on one line or on several
 *     ROW(how, name, unit, member, meaning)           o->member
 *     MADE(how, name, unit, expression, meaning)      computed when it is written
 *     ARRAY(how, name, unit, member, meaning)         a member that is an array
 *     CSV(place, column, row)                         the row is a column of CSV, too; columns of a
 *                                                     lower SYN_PLACE_##place stand further left
 *     WHERE(condition, row)                           the key is there under this condition only
 *     COLUMN(how, expression)                         inside CSV(): a column that JSON has not
 *     KNOWN(condition, row)                           null where the condition does not hold
 *     KNOWN_IN_CSV(condition, row)                    empty in CSV where it does not hold
 *     INNER(name, id, pointer, meaning)               an object inside this one
 *     INNER_IF(name, id, condition, pointer, meaning) likewise, or null
 *     SPREAD(id, pointer)                             the rows of a PART or an OBJECT, as rows of
 *                                                     this object
 *     LIST(name, id, count, pointer, meaning)         an array of objects; pointer: of number i
 *     LIST_BY(name, id, function, meaning)            an array that function(to, o) fills
 *     ALSO(id)                                        the LIST_BY that follows holds such, too
 *     VALUES_BY(how, name, style, unit, function, meaning)   likewise, of plain values; style: LINE
 *                                                     or BLOCK
 *     WORDS_BY(name, function, meaning)               an object of words that function(to, o)
 *                                                     fills, keys and all
 *     END(id)
 *     PART(id) ... END(id)                            rows for SPREAD
 *     LEFT_OUT(member)                                a member without a row of its own
 *     STRUCTURE_END(id)
 *     #undef O
 *
 * So {"mean": 3.5, "low": 3, "high": 4}, of which CSV has "mean", is
 *
 *     PART(ends) ROW(figure, low, "ns", low, "one end")
 *     ROW(figure, high, "ns", high, "the other end") END(ends)
 *     OBJECT(estimate, LINE, "An estimate")
 *     CSV(KEYS, mean, ROW(figure, mean, "ns", mean, "the mean")) SPREAD(ends, o) END(estimate)
 *
 * An expression sees `o`, and `to`, which has the report. `how` is one of enum syn_figure_how. */
#ifndef SYN_FIGURE_ROW_H
#define SYN_FIGURE_ROW_H

#include <stdbool.h>
#include <stddef.h>

enum syn_figure_how {
    SYN_FIGURE_figure,  /* double; null where it cannot be had (not finite) */
    SYN_FIGURE_number,  /* double, always there */
    SYN_FIGURE_whole,   /* the same; CSV has no digits behind the point */
    SYN_FIGURE_count,   /* unsigned */
    SYN_FIGURE_integer, /* signed */
    SYN_FIGURE_boolean,
    SYN_FIGURE_text,  /* or null */
    SYN_FIGURE_word,  /* never null */
    SYN_FIGURE_point, /* an array of two figures */
    /* no plain values: */
    SYN_FIGURE_object,
    SYN_FIGURE_spread,
    SYN_FIGURE_list,
    SYN_FIGURE_words,
    SYN_FIGURE_column, /* in CSV alone */
    /* said of the row that follows: */
    SYN_FIGURE_in_csv,
    SYN_FIGURE_optional,
    SYN_FIGURE_nullable,
    SYN_FIGURE_also
};

/* A ROW's member as a number: where it is in its structure, and of what type. */
enum syn_member_kind {
    SYN_MEMBER_TEXT,
    SYN_MEMBER_BOOL,
    SYN_MEMBER_UNSIGNED,
    SYN_MEMBER_SIGNED,
    SYN_MEMBER_DOUBLE
};
struct syn_figure_member {
    size_t at, bytes; /* bytes 0: the row has no member */
    enum syn_member_kind kind;
};

struct syn_figure_object;
struct syn_figure_row {
    const char *name; /* in JSON; of in_csv the column */
    enum syn_figure_how how;
    const char *unit, *meaning;
    bool is_array;                         /* of plain values */
    const struct syn_figure_object *inner; /* of object, spread, list and also */
    struct syn_figure_member member;
};

struct syn_figure_object {
    const char *name, *about;
    const char *structure; /* "struct syn_figures" */
    const struct syn_figure_row *row;
    size_t count;
};

/* The row of that name, in an object or in what it spreads. NULL: none. */
const struct syn_figure_row *syn_figure_row_named(const struct syn_figure_object *object,
                                                  const char *name);
/* The value of a row that has a number as its member, in its structure. */
double syn_figure_row_value(const struct syn_figure_row *row, const void *structure);
/* Has it one? */
bool syn_figure_row_is_number(const struct syn_figure_row *row);

#endif
