/* analyze/symbols/store.h - the store of known labels, by (object, offset). Only for files in
 * analyze/symbols. */
#ifndef SYN_SYMBOL_STORE_H
#define SYN_SYMBOL_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/symbols/object.h"
#include "sync/base/index.h"
#include "trace/base/records.h"

/* An object of one or more traces. */
struct symbol_object {
    uint32_t number; /* index in the store */
    char *key;       /* build id in hexadecimal digits; if it has none, "path:" and the path */
    char *path;      /* path at which it was opened last, or tried */
    struct syn_object *elf; /* NULL: not opened, or not on this machine */
    bool tried;             /* an attempt was made to open it at `path` */
    bool compiler_tried;
    const char *compiler; /* interned; NULL: unknown */
};

/* An object at one path. RATIONALE: ranks name the same few modules, and each frame of each stack
 * refers to one, so the object of a module is found once. */
struct symbol_module {
    struct syn_module_record record; /* with copies of path and build id; its index is not used */
    struct symbol_object *object;    /* NULL: not found yet; is_runtime is not set either */
    bool is_runtime;
};

struct symbol_frame {
    struct symbol_object *object;
    uint64_t offset;
    const char *label; /* interned */
    bool resolved;     /* it has more than the object's name and the offset, so it is saved */
};

struct symbol_store { /* {0} is an empty store */
    char **text;      /* [text_count] */
    struct symbol_object **object;
    struct symbol_module **module;
    struct symbol_frame *frame;
    size_t text_count, object_count, module_count, frame_count;
    size_t text_capacity, object_capacity, module_capacity, frame_capacity;
    struct syn_index text_index, object_index, module_index, frame_index;
};

/* All return NULL if memory runs out. Returns the interned text. */
const char *symbol_store_text(struct symbol_store *store, const char *text);
/* Returns the object with this key, and adds it if it is new. */
struct symbol_object *symbol_store_object(struct symbol_store *store, const char *key);
/* Returns the module with this path and build id, and adds it if it is new. */
struct symbol_module *symbol_store_module(struct symbol_store *store,
                                          const struct syn_module_record *record);
/* Returns a frame; NULL: it is unknown. The pointer is valid until a frame is added. */
const struct symbol_frame *symbol_store_find(const struct symbol_store *store,
                                             const struct symbol_object *object, uint64_t offset);
/* Adds a frame, unless it is there: then its label stays. `label` is interned. Returns the frame,
 * whose `resolved` the caller may set. The pointer is valid until a frame is added. */
struct symbol_frame *symbol_store_add(struct symbol_store *store, struct symbol_object *object,
                                      uint64_t offset, const char *label);

/* Visit all objects in the order of keys, and all frames in the order of keys and offsets. The
 * order does not depend on that of the additions. Return 0; SYN_ENOMEM: nothing was visited. */
int symbol_store_each_object(const struct symbol_store *store,
                             void (*visit)(const struct symbol_object *object, void *ctx),
                             void *ctx);
int symbol_store_each_frame(const struct symbol_store *store,
                            void (*visit)(const struct symbol_frame *frame, void *ctx), void *ctx);

void symbol_store_clear(struct symbol_store *store);

#endif
