/* analyze/diff/diff_text.h - what the parts of the text are written with. */
#ifndef SYN_DIFF_TEXT_H
#define SYN_DIFF_TEXT_H

#include "diff_words.h"

struct syn_diff_writer {
    const struct syn_diff *diff;
    const struct syn_terminal *terminal;
    struct syn_text *text;
    bool many_comms; /* so that their names tell something */
};

/* `first`, then words in lines that fit, from column `indent` on. */
void syn_diff_paragraph(const struct syn_diff_writer *to, size_t indent, const char *first,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));
void syn_diff_heading(const struct syn_diff_writer *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The groups: a table a verdict, or one table. */
void syn_diff_tables(const struct syn_diff_writer *to);
/* The quantiles asked for, of each group. Nothing where none are. */
void syn_diff_quantile_table(const struct syn_diff_writer *to);

#endif
