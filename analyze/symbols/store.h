/* analyze/symbols/store.h - labels known so far, by (object, offset). Inside of analyze/symbols
 * only. Balanced trees of libc (tsearch): a trace has thousands of frames, not millions. */
#ifndef SYN_SYMBOL_STORE_H
#define SYN_SYMBOL_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/symbols/object.h"

/* One object of one or several traces. */
struct symbol_object {
    char *key;              /* build id in hex, or "path:" and the path where it has none */
    char *path;             /* where it was last looked for */
    struct syn_object *elf; /* NULL: not opened, or not here */
    bool tried;             /* to open it at `path` */
    bool compiler_tried;
    const char *compiler; /* interned; NULL unknown */
};

struct symbol_frame {
    struct symbol_object *object;
    uint64_t offset;
    const char *label; /* interned */
    bool resolved;     /* more than the object's name and the offset: worth keeping */
};

struct symbol_store {
    void *texts; /* trees */
    void *objects;
    void *frames;
};

/* All return NULL where memory is lacking. */
const char *symbol_store_text(struct symbol_store *store, const char *text);
/* Found or added. */
struct symbol_object *symbol_store_object(struct symbol_store *store, const char *key);
/* NULL also where it is unknown. */
const struct symbol_frame *symbol_store_find(struct symbol_store *store,
                                             struct symbol_object *object, uint64_t offset);
/* label is interned. The first label of a frame stays. Returns the frame, for the caller to mark as
 * resolved. */
struct symbol_frame *symbol_store_add(struct symbol_store *store, struct symbol_object *object,
                                      uint64_t offset, const char *label);

/* Visit in the order of keys (and offsets), so that what is written does not depend on the order of
 * asking. */
void symbol_store_each_object(const struct symbol_store *store,
                              void (*visit)(const struct symbol_object *object, void *ctx),
                              void *ctx);
void symbol_store_each_frame(const struct symbol_store *store,
                             void (*visit)(const struct symbol_frame *frame, void *ctx), void *ctx);

void symbol_store_clear(struct symbol_store *store);

#endif
