/* analyze/info/info_parts.h - the parts of the text of `info`. */
#ifndef SYN_INFO_PARTS_H
#define SYN_INFO_PARTS_H

#include "analyze/info/info.h"

void syn_info_heading(const struct syn_terminal *terminal, const char *title,
                      struct syn_text *text);
/* "  key   value", the value wrapped under itself. */
void syn_info_line(const struct syn_terminal *terminal, size_t indent, const char *key,
                   const char *value, struct syn_text *text);
/* Of the first rank that has one; NULL: none has. */
const struct syn_rank_file *syn_info_first_file(const struct syn_info *info);
/* What a rank's file says of a key; "-" where it says nothing, or is not there. */
const char *syn_info_meta(const struct syn_rank_file *file, const char *key);
/* What ran, how good the trace is: some lines. */
void syn_info_summary(const struct syn_info *info, const struct syn_terminal *terminal,
                      struct syn_text *text);
/* Tables of the ranks: all of few; of many, nodes and the worst clocks. */
void syn_info_ranks(const struct syn_info *info, const struct syn_terminal *terminal,
                    struct syn_text *text);
/* How they ran: drift at begin and over the run, and what was measured beside it. */
void syn_info_courses(const struct syn_info *info, const struct syn_terminal *terminal,
                      struct syn_text *text);
void syn_info_clocks(const struct syn_info *info, const struct syn_terminal *terminal,
                     struct syn_text *text);

#endif
