/* analyze/report/findings/message_lines.h - the table of a run's messages as a page shows it. */
#ifndef SYN_MESSAGE_LINES_H
#define SYN_MESSAGE_LINES_H

#include "analyze/report/findings/report.h"

struct syn_message_line {
    const struct syn_message_row *row;
    const char *site;
    char partners[64];        /* "neighbours -1 +1", "one to all" */
    double bytes;             /* of a message, the mean */
    double median, low, high; /* of the transfer, in ns, with its interval; NAN: too few */
    double rate_bytes_per_s;  /* bytes over the median; NAN */
    double inside_ns;         /* waiting and transfer */
    int32_t late;             /* the rank that made others wait most there; -1: nobody waited */
    double late_share;        /* of the waiting */
};

struct syn_message_lines {
    struct syn_message_line *line; /* [count], those with the longest time inside first */
    size_t count;
};

/* 0, SYN_ENOMEM or SYN_EIO; free it in any case. */
int syn_message_lines_make(const struct syn_report *report, const struct syn_run_facts *run,
                           struct syn_message_lines *out);
void syn_message_lines_free(struct syn_message_lines *lines);

#endif
