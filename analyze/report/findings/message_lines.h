/* analyze/report/findings/message_lines.h - makes the lines of the table of a run's messages. */
#ifndef SYN_MESSAGE_LINES_H
#define SYN_MESSAGE_LINES_H

#include "analyze/report/findings/report.h"

struct syn_message_line {
    const struct syn_message_row *row;
    const char *site;
    char partners[64];        /* "neighbours -1 +1", "0 to many" */
    double bytes;             /* mean over the messages */
    double median, low, high; /* of the transfer time, in ns, with its interval; NAN: none */
    double rate_bytes_per_s;  /* bytes / median; NAN: unknown */
    double inside_ns;         /* waiting + transfer */
    int32_t late;             /* the rank that others waited for longest; -1: no waiting */
    double late_share;        /* its share of the waiting */
};

struct syn_message_lines {
    struct syn_message_line *line; /* [count], longest inside_ns first */
    size_t count;
};

/* Returns 0, SYN_ENOMEM or SYN_EIO. The caller frees *out in any case. */
int syn_message_lines_make(const struct syn_report *report, const struct syn_run_facts *run,
                           struct syn_message_lines *out);
void syn_message_lines_free(struct syn_message_lines *lines);

#endif
