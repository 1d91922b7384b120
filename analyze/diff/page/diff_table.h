/* analyze/diff/page/diff_table.h - the groups of a diff as tables. */
#ifndef SYN_DIFF_TABLE_H
#define SYN_DIFF_TABLE_H

#include "analyze/diff/page/diff_words.h"
#include "analyze/doc/doc.h"

struct syn_diff_tables {
    const struct syn_diff *diff;
    struct syn_doc *doc;
    bool many_comms;           /* so that their names tell something */
    const size_t *comm_number; /* [groups]: where they go by numbers, for lack of room; else NULL */
};

/* Are there groups that differ in nothing that is shown but their communicators? */
bool syn_diff_comms_tell_apart(const struct syn_diff *diff);
/* number [groups], out: of each one's communicator, from 1, in the order of the groups. Returns 0
 * or SYN_ENOMEM. */
int syn_diff_number_comms(const struct syn_diff *diff, size_t *number);
/* Writes a line for each communicator that goes by a number. */
void syn_diff_comm_names(const struct syn_diff_tables *to);
/* The groups: a table a verdict, or one table. */
void syn_diff_tables(const struct syn_diff_tables *to);
/* The quantiles asked for, of each group. Nothing where none are. */
void syn_diff_quantile_table(const struct syn_diff_tables *to);

#endif
