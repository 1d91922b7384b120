/* analyze/info/info_parts.h - the sections of `info` that have files of their own. */
#ifndef SYN_INFO_PARTS_H
#define SYN_INFO_PARTS_H

#include "analyze/doc/doc.h"
#include "analyze/info/info.h"

/* The file of the first rank that has one; NULL if none has. */
const struct syn_rank_file *syn_info_first_file(const struct syn_info *info);
/* Look a key up in a rank's file; NULL where it says nothing, or is not there. */
const char *syn_info_meta(const struct syn_rank_file *file, const char *key);

/* Sections. `facts` is a struct syn_info. */
/* Tell what ran, and how good the trace is. */
void syn_info_summary(struct syn_doc *doc, const void *facts);
/* Tell where the ranks ran: all of few; of many, nodes. */
void syn_info_ranks(struct syn_doc *doc, const void *facts);
/* Bounds and drift of the clocks: all of few ranks; of many, the worst. */
void syn_info_clock(struct syn_doc *doc, const void *facts);

#endif
