/* analyze/diff/diff_text.h - what the parts of the text are written with. */
#ifndef SYN_DIFF_TEXT_H
#define SYN_DIFF_TEXT_H

#include "diff_words.h"

struct syn_diff_writer {
    const struct syn_diff *diff;
    const struct syn_terminal *terminal;
    struct syn_text *text;
    bool many_comms;           /* so that their names tell something */
    const size_t *comm_number; /* [groups]: where they go by numbers, for lack of room; else NULL */
};

/* `first`, then words in lines that fit, from column `indent` on. */
void syn_diff_paragraph(const struct syn_diff_writer *to, size_t indent, const char *first,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));
void syn_diff_heading(const struct syn_diff_writer *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Are there groups that differ in nothing that is shown but their communicators? */
bool syn_diff_comms_tell_apart(const struct syn_diff *diff);
/* number [groups], out: of each one's communicator, from 1, in the order of the groups. Returns how
 * many communicators there are; 0 where memory ran out. */
size_t syn_diff_number_comms(const struct syn_diff *diff, size_t *number);
/* Of those that go by numbers: a line for each. */
void syn_diff_comm_names(const struct syn_diff_writer *to);
/* The groups: a table a verdict, or one table. */
void syn_diff_tables(const struct syn_diff_writer *to);
/* The quantiles asked for, of each group. Nothing where none are. */
void syn_diff_quantile_table(const struct syn_diff_writer *to);

#endif
