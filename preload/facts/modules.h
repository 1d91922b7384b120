/* preload/facts/modules.h - the objects loaded into this process, to turn return addresses into
 * something that another run, and another machine, can compare: (object, offset from its load
 * base).
 *
 * Usage: create once; locate the frames of each new stack. Indexes never change, and an object that
 * was unloaded keeps its own. Not for concurrent use: the caller holds its lock. */
#ifndef SYN_MODULES_H
#define SYN_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/base/records.h"

struct syn_modules;

/* Takes a first snapshot. Returns 0 or SYN_ENOMEM. */
int syn_modules_create(struct syn_modules **out);
void syn_modules_free(struct syn_modules *modules); /* NULL is fine */

/* Add objects loaded since. Cheap where nothing changed. Returns 0 or SYN_ENOMEM (the older ones
 * stay). */
int syn_modules_refresh(struct syn_modules *modules);

/* Locates addresses [count], all at once. Refreshes first: an address of a known
 * object may belong to another one by now.
 * out  [count] the module's index and the offset from its load base; {UINT32_MAX, address} where
 *      unknown. Returns how many are known. */
size_t syn_modules_locate(struct syn_modules *modules, const uintptr_t *addresses, size_t count,
                          struct syn_frame *out);

/* Owned by modules, valid until freed; strings included. NULL past the last. */
const struct syn_module_record *syn_modules_at(const struct syn_modules *modules, size_t index);

/* The build id of the main program. Returns its bytes (at most capacity), 0 where it has none. */
size_t syn_modules_program_build_id(uint8_t *out, size_t capacity);
/* The file of the main program, as a path; "" where it cannot be had. Returns its length, less than
 * capacity. */
size_t syn_modules_program_path(char *out, size_t capacity);

#endif
