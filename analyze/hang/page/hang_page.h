/* analyze/hang/page/hang_page.h - writes the sections on hangs and disagreements: those of `hang`,
 * and of all pages on a run that did not end. */
#ifndef SYN_HANG_PAGE_H
#define SYN_HANG_PAGE_H

#include "analyze/doc/doc.h"
#include "analyze/hang/examine.h"
#include "analyze/print/json.h"

/* Writes the facts "hang" and "mismatches", and sentences on them, roots first. "hang" is null if
 * the run did not end and no open calls are known. */
void syn_hang_write(struct syn_doc *doc, const struct syn_examination *examination);
/* Writes only the sentences on disagreements; nothing if all ranks agree. */
void syn_hang_write_mismatches(struct syn_doc *doc, const struct syn_examination *examination);

/* Writes "hang" and "mismatches" of a struct syn_examination into the object that is open. */
void syn_hang_json(struct syn_json *json, const void *examination);

#endif
