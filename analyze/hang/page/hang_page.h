/* analyze/hang/page/hang_page.h - the sections on hangs and disagreements, of the command `hang`
 * and of all pages on a run that did not end. */
#ifndef SYN_HANG_PAGE_H
#define SYN_HANG_PAGE_H

#include "analyze/doc/doc.h"
#include "analyze/hang/examine.h"
#include "analyze/print/json.h"

/* Facts "hang" (null where the run did not end and does not say where its ranks are) and
 * "mismatches", and sentences on them; roots first. */
void syn_hang_write(struct syn_doc *doc, const struct syn_examination *examination);
/* The sentences on disagreements alone: nothing where all ranks agree. */
void syn_hang_write_mismatches(struct syn_doc *doc, const struct syn_examination *examination);

/* "hang" and "mismatches" of a struct syn_examination: members of the object that is open. */
void syn_hang_json(struct syn_json *json, const void *examination);

#endif
