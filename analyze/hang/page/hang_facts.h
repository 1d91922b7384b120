/* analyze/hang/page/hang_facts.h - hangs and disagreements for programs. */
#ifndef SYN_HANG_FACTS_H
#define SYN_HANG_FACTS_H

#include "analyze/hang/examine.h"
#include "analyze/print/json.h"

/* "hang" and "mismatches" of a struct syn_examination: members of the object that is open. */
void syn_hang_json(struct syn_json *json, const void *examination);

#endif
