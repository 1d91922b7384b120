/* analyze/diff/diff_writer.h - what the text of a diff is written with. */
#ifndef SYN_DIFF_WRITER_H
#define SYN_DIFF_WRITER_H

#include "analyze/diff/diff_words.h"

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

#endif
