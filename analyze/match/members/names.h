/* analyze/match/members/names.h - numbers for strings: 0, 1, 2, ... Equal strings have equal
 * numbers. All functions except syn_names_free may be called from any thread. */
#ifndef SYN_NAMES_H
#define SYN_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/index.h"

#define SYN_NO_NAME UINT32_MAX
/* Most bytes of a name, without the terminator. Longer names are cut: they come from files, and
 * each row prints them. */
#define SYN_NAME_BYTES 512

struct syn_names { /* {0} is an empty table */
    char **text;   /* [count] */
    size_t count, capacity;
    struct syn_index index;
};

/* Returns the number of `name`, and copies the name if it is new. SYN_NO_NAME: no memory. */
uint32_t syn_names_id(struct syn_names *names, const char *name);
/* Returns the number of a call site, and copies its name if it is new. The name is not cut.
 * SYN_NO_NAME: no memory. */
uint32_t syn_names_site(struct syn_names *names, const char *label);
/* Returns a name, owned by `names`; NULL: there is no such number. */
const char *syn_names_text(const struct syn_names *names, uint32_t id);
void syn_names_free(struct syn_names *names);

#endif
