/* preload/entry/early_slots.h - corrects references to the recorder's names that the dynamic linker
 * bound before the recorder could hide a name. */
#ifndef SYN_EARLY_SLOTS_H
#define SYN_EARLY_SLOTS_H

#include <link.h>

#include "preload/entry/elf_object.h"

/* Returns whether the address lies in the code of the entries (entries.S). */
SYN_HIDDEN bool syn_early_is_entry(const void *address);

/* Returns the address that a reference to `name` has without the recorder; NULL if no object
 * defines the name. */
typedef void *syn_unhidden(const char *name);
/* Returns whether this name of the recorder is hidden. */
typedef bool syn_is_hidden(const char *name);

/* Binds each reference to a hidden entry to the address that it has without the recorder. Does so
 * in all objects from `first` on except `own`. If an object had such a reference, its IFUNCs choose
 * again, and all references to them are bound to the result. May be called only while the process
 * has one thread. */
SYN_HIDDEN void syn_early_slots_mend(const struct link_map *first, const struct link_map *own,
                                     syn_is_hidden *is_hidden, syn_unhidden *without_us);

#endif
