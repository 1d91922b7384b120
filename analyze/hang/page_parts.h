/* analyze/hang/page_parts.h - the inside of hang_page.h: facts, and ranks in words. */
#ifndef SYN_HANG_PAGE_PARTS_H
#define SYN_HANG_PAGE_PARTS_H

#include <stdint.h>

#include "analyze/doc/doc.h"
#include "analyze/hang/examine.h"

/* "hang" and "mismatches". */
void syn_hang_facts(struct syn_doc *doc, const struct syn_examination *examination);
/* "rank 3", "ranks 0-2, 7 and 20 more": ascending. */
void syn_hang_ranks(struct syn_text *out, const int32_t *rank, size_t count);

#endif
