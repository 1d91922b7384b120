/* analyze/match/members/names.h - strings as small numbers: equal strings, equal numbers, 0, 1, 2,
 * ... Any number of threads may ask. */
#ifndef SYN_NAMES_H
#define SYN_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/index.h"

#define SYN_NO_NAME UINT32_MAX
/* Longest name. Of a longer one the head is kept: names come from files, and are printed in every
 * row. */
#define SYN_NAME_BYTES 512

struct syn_names { /* {0} is an empty table */
    char **text;   /* [count] */
    size_t count, capacity;
    struct syn_index index;
};

/* The number of `name`, copied where it is new. SYN_NO_NAME where memory ran out. */
uint32_t syn_names_id(struct syn_names *names, const char *name);
/* The number of a call site, likewise. Its name is kept whole. */
uint32_t syn_names_site(struct syn_names *names, const char *label);
/* Owned by names; NULL for a number that is none. */
const char *syn_names_text(const struct syn_names *names, uint32_t id);
void syn_names_free(struct syn_names *names);

#endif
