/* preload/facts/modules.h - the objects (program and libraries) loaded into this process. They turn
 * a return address into (object, offset from its load base), which other runs and other machines
 * can compare.
 *
 * Usage: create the list once, then locate the frames of each new call stack. An object's index
 * never changes, even after the object is unloaded. Not for concurrent use: the caller holds a
 * lock. */
#ifndef SYN_MODULES_H
#define SYN_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/base/records.h"

struct syn_modules;

/* Makes *out, a list of the objects loaded now. Returns 0 or SYN_ENOMEM. */
int syn_modules_create(struct syn_modules **out);
void syn_modules_free(struct syn_modules *modules); /* accepts NULL */

/* Adds objects loaded since the last call. Cheap if nothing was loaded or unloaded. Returns 0, or
 * SYN_ENOMEM with some objects missing. */
int syn_modules_refresh(struct syn_modules *modules);

/* Writes module index and offset of addresses [count] to out [count]; {UINT32_MAX, address} if no
 * module has the address. Refreshes the list first if necessary. Returns the number of addresses
 * found. */
size_t syn_modules_locate(struct syn_modules *modules, const uintptr_t *addresses, size_t count,
                          struct syn_frame *out);

/* Returns the record of a module, NULL past the last. `modules` owns it and its strings until it is
 * freed. */
const struct syn_module_record *syn_modules_at(const struct syn_modules *modules, size_t index);

/* Copies the main program's build id to out [capacity]. Returns its size, 0 if there is none. */
size_t syn_modules_program_build_id(uint8_t *out, size_t capacity);
/* Writes the path of the main program's file to out [capacity], "" if it is unknown. Returns its
 * length. */
size_t syn_modules_program_path(char *out, size_t capacity);

#endif
