/* analyze/symbols/store.h - labels known so far, by (object, offset). Inside of analyze/symbols
 * only. */
#ifndef SYN_SYMBOL_STORE_H
#define SYN_SYMBOL_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/symbols/object.h"
#include "sync/base/index.h"
#include "trace/base/records.h"

/* One object of one or several traces. */
struct symbol_object {
    uint32_t number;        /* of the store */
    char *key;              /* build id in hex, or "path:" and the path where it has none */
    char *path;             /* where it was last looked for */
    struct syn_object *elf; /* NULL: not opened, or not here */
    bool tried;             /* to open it at `path` */
    bool compiler_tried;
    const char *compiler; /* interned; NULL unknown */
};

/* An object by one of its paths, as ranks name it: most of them alike. What follows from both is
 * found out once, as each frame of each stack of each rank is asked about. */
struct symbol_module {
    struct syn_module_record record; /* path and build id are copies; the index is no rank's */
    struct symbol_object *object;    /* NULL: not found out yet, nor is what comes behind */
    bool is_runtime;
};

struct symbol_frame {
    struct symbol_object *object;
    uint64_t offset;
    const char *label; /* interned */
    bool resolved;     /* more than the object's name and the offset: worth keeping */
};

struct symbol_store { /* {0} is an empty one */
    char **text;      /* [text_count] */
    struct symbol_object **object;
    struct symbol_module **module;
    struct symbol_frame *frame;
    size_t text_count, object_count, module_count, frame_count;
    size_t text_capacity, object_capacity, module_capacity, frame_capacity;
    struct syn_index text_index, object_index, module_index, frame_index;
};

/* All return NULL where memory is lacking. */
const char *symbol_store_text(struct symbol_store *store, const char *text);
/* Found or added. */
struct symbol_object *symbol_store_object(struct symbol_store *store, const char *key);
/* Found or added, by path and build id. */
struct symbol_module *symbol_store_module(struct symbol_store *store,
                                          const struct syn_module_record *record);
/* NULL also where it is unknown. Frames move when one is added. */
const struct symbol_frame *symbol_store_find(const struct symbol_store *store,
                                             const struct symbol_object *object, uint64_t offset);
/* label is interned. The first label of a frame stays. Returns the frame, for the caller to mark as
 * resolved; it moves when the next one is added. */
struct symbol_frame *symbol_store_add(struct symbol_store *store, struct symbol_object *object,
                                      uint64_t offset, const char *label);

/* Visit in the order of keys (and offsets), so that what is written does not depend on the order of
 * asking. Return 0 or SYN_ENOMEM (nothing was visited). */
int symbol_store_each_object(const struct symbol_store *store,
                             void (*visit)(const struct symbol_object *object, void *ctx),
                             void *ctx);
int symbol_store_each_frame(const struct symbol_store *store,
                            void (*visit)(const struct symbol_frame *frame, void *ctx), void *ctx);

void symbol_store_clear(struct symbol_store *store);

#endif
