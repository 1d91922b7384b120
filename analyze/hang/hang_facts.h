/* analyze/hang/hang_facts.h - hangs and disagreements for programs. */
#ifndef SYN_HANG_FACTS_H
#define SYN_HANG_FACTS_H

#include "analyze/doc/doc.h"
#include "analyze/hang/examine.h"

/* "hang" and "mismatches". */
void syn_hang_facts(struct syn_doc *doc, const struct syn_examination *examination);

#endif
