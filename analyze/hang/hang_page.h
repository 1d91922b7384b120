/* analyze/hang/hang_page.h - the sections on hangs and disagreements, of the command `hang` and of
 * all pages on a run that did not end. */
#ifndef SYN_HANG_PAGE_H
#define SYN_HANG_PAGE_H

#include "analyze/doc/doc.h"
#include "analyze/hang/examine.h"

/* Facts "hang" (null of a run that ended) and "mismatches", and sentences on them; roots first. */
void syn_hang_tell(struct syn_doc *doc, const struct syn_examination *examination);

#endif
