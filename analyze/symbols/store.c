/* analyze/symbols/store.c - four tables of known items: texts, objects, modules and frames. */
#include "analyze/symbols/store.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/cleanup.h"
#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

static uint64_t hash_of_chars(const char *text)
{
    return syn_hash64(text, strlen(text));
}

/* ---- texts ---- */

static uint64_t hash_of_text(const void *owner, uint32_t number)
{
    return hash_of_chars(((const struct symbol_store *)owner)->text[number]);
}

static bool is_text(const void *owner, uint32_t number, const void *key)
{
    return strcmp(((const struct symbol_store *)owner)->text[number], key) == 0;
}

const char *symbol_store_text(struct symbol_store *store, const char *text)
{
    if (SYN_ROOM(store->text, store->text_capacity, store->text_count) != SYN_OK ||
        syn_index_make_room(&store->text_index, store->text_count, hash_of_text, store) != SYN_OK)
        return NULL;
    uint32_t *slot = syn_index_slot(&store->text_index, hash_of_chars(text), is_text, store, text);
    if (*slot)
        return store->text[*slot - 1];
    char *copy = strdup(text);
    if (!copy)
        return NULL;
    store->text[store->text_count] = copy;
    *slot = (uint32_t)++store->text_count;
    return copy;
}

/* ---- objects ---- */

static uint64_t hash_of_object(const void *owner, uint32_t number)
{
    return hash_of_chars(((const struct symbol_store *)owner)->object[number]->key);
}

static bool is_object(const void *owner, uint32_t number, const void *key)
{
    return strcmp(((const struct symbol_store *)owner)->object[number]->key, key) == 0;
}

static void free_object(struct symbol_object *object)
{
    syn_object_close(object->elf);
    free(object->key);
    free(object->path);
    free(object);
}

struct symbol_object *symbol_store_object(struct symbol_store *store, const char *key)
{
    if (SYN_ROOM(store->object, store->object_capacity, store->object_count) != SYN_OK ||
        syn_index_make_room(&store->object_index, store->object_count, hash_of_object, store) !=
            SYN_OK)
        return NULL;
    uint32_t *slot =
        syn_index_slot(&store->object_index, hash_of_chars(key), is_object, store, key);
    if (*slot)
        return store->object[*slot - 1];
    struct symbol_object *object = calloc(1, sizeof *object);
    if (!object)
        return NULL;
    object->number = (uint32_t)store->object_count;
    object->key = strdup(key);
    if (!object->key) {
        free_object(object);
        return NULL;
    }
    store->object[store->object_count] = object;
    *slot = (uint32_t)++store->object_count;
    return object;
}

/* ---- modules ---- */

/* The path alone is hashed: nearly always it has one build id. */
static uint64_t hash_of_module(const void *owner, uint32_t number)
{
    return hash_of_chars(((const struct symbol_store *)owner)->module[number]->record.path);
}

static bool is_module(const void *owner, uint32_t number, const void *key)
{
    const struct syn_module_record *known =
        &((const struct symbol_store *)owner)->module[number]->record;
    const struct syn_module_record *record = key;
    const size_t bytes = known->build_id_bytes;
    return bytes == record->build_id_bytes &&
           (bytes == 0 || memcmp(known->build_id, record->build_id, bytes) == 0) &&
           strcmp(known->path, record->path) == 0;
}

static void free_module(struct symbol_module *module)
{
    free((char *)module->record.path);
    free((uint8_t *)module->record.build_id);
    free(module);
}

static struct symbol_module *copy_module(const struct syn_module_record *record)
{
    struct symbol_module *module = calloc(1, sizeof *module);
    uint8_t *build_id = malloc(record->build_id_bytes + 1);
    if (!module || !build_id) {
        free(module);
        free(build_id);
        return NULL;
    }
    if (record->build_id_bytes > 0)
        memcpy(build_id, record->build_id, record->build_id_bytes);
    module->record.path = strdup(record->path);
    module->record.build_id = build_id;
    module->record.build_id_bytes = record->build_id_bytes;
    if (module->record.path)
        return module;
    free_module(module);
    return NULL;
}

struct symbol_module *symbol_store_module(struct symbol_store *store,
                                          const struct syn_module_record *record)
{
    if (SYN_ROOM(store->module, store->module_capacity, store->module_count) != SYN_OK ||
        syn_index_make_room(&store->module_index, store->module_count, hash_of_module, store) !=
            SYN_OK)
        return NULL;
    uint32_t *slot =
        syn_index_slot(&store->module_index, hash_of_chars(record->path), is_module, store, record);
    if (*slot)
        return store->module[*slot - 1];
    struct symbol_module *module = copy_module(record);
    if (!module)
        return NULL;
    store->module[store->module_count] = module;
    *slot = (uint32_t)++store->module_count;
    return module;
}

/* ---- frames ---- */

static uint64_t hash_of_place(const struct symbol_object *object, uint64_t offset)
{
    return syn_hash_add(syn_hash_word(object->number), offset);
}

static uint64_t hash_of_frame(const void *owner, uint32_t number)
{
    const struct symbol_frame *frame = &((const struct symbol_store *)owner)->frame[number];
    return hash_of_place(frame->object, frame->offset);
}

static bool is_frame(const void *owner, uint32_t number, const void *key)
{
    const struct symbol_frame *frame = &((const struct symbol_store *)owner)->frame[number];
    const struct symbol_frame *wanted = key;
    return frame->offset == wanted->offset && frame->object == wanted->object;
}

static uint32_t *slot_of(const struct symbol_store *store, const struct symbol_frame *wanted)
{
    return syn_index_slot(&store->frame_index, hash_of_place(wanted->object, wanted->offset),
                          is_frame, store, wanted);
}

const struct symbol_frame *symbol_store_find(const struct symbol_store *store,
                                             const struct symbol_object *object, uint64_t offset)
{
    const struct symbol_frame wanted = {.object = (struct symbol_object *)object, .offset = offset};
    const uint32_t number = store->frame_count > 0 ? *slot_of(store, &wanted) : 0;
    return number ? &store->frame[number - 1] : NULL;
}

struct symbol_frame *symbol_store_add(struct symbol_store *store, struct symbol_object *object,
                                      uint64_t offset, const char *label)
{
    const struct symbol_frame added = {.object = object, .offset = offset, .label = label};
    if (SYN_ROOM(store->frame, store->frame_capacity, store->frame_count) != SYN_OK ||
        syn_index_make_room(&store->frame_index, store->frame_count, hash_of_frame, store) !=
            SYN_OK)
        return NULL;
    uint32_t *slot = slot_of(store, &added);
    if (!*slot) {
        store->frame[store->frame_count] = added;
        *slot = (uint32_t)++store->frame_count;
    }
    return &store->frame[*slot - 1];
}

/* ---- all, in order ---- */

static int by_key(const void *left, const void *right)
{
    const struct symbol_object *const *a = left, *const *b = right;
    return strcmp((*a)->key, (*b)->key);
}

static int by_place(const void *left, const void *right)
{
    const struct symbol_frame *a = left, *b = right;
    const int order = a->object != b->object ? strcmp(a->object->key, b->object->key) : 0;
    return order != 0 ? order : (a->offset > b->offset) - (a->offset < b->offset);
}

/* Returns a sorted copy, which the caller frees. NULL: no memory. */
static void *sorted_copy(const void *array, size_t count, size_t element_bytes,
                         int (*compare)(const void *, const void *))
{
    void *copy = malloc((count + 1) * element_bytes);
    if (!copy || count == 0)
        return copy;
    memcpy(copy, array, count * element_bytes);
    qsort(copy, count, element_bytes, compare);
    return copy;
}

int symbol_store_each_object(const struct symbol_store *store,
                             void (*visit)(const struct symbol_object *object, void *ctx),
                             void *ctx)
{
    SYN_FREED struct symbol_object **sorted =
        sorted_copy(store->object, store->object_count, sizeof *sorted, by_key);
    for (size_t i = 0; sorted && i < store->object_count; i++)
        visit(sorted[i], ctx);
    return sorted ? SYN_OK : SYN_ENOMEM;
}

int symbol_store_each_frame(const struct symbol_store *store,
                            void (*visit)(const struct symbol_frame *frame, void *ctx), void *ctx)
{
    SYN_FREED struct symbol_frame *sorted =
        sorted_copy(store->frame, store->frame_count, sizeof *sorted, by_place);
    for (size_t i = 0; sorted && i < store->frame_count; i++)
        visit(&sorted[i], ctx);
    return sorted ? SYN_OK : SYN_ENOMEM;
}

void symbol_store_clear(struct symbol_store *store)
{
    for (size_t i = 0; i < store->text_count; i++)
        free(store->text[i]);
    for (size_t i = 0; i < store->object_count; i++)
        free_object(store->object[i]);
    for (size_t i = 0; i < store->module_count; i++)
        free_module(store->module[i]);
    free(store->text);
    free(store->object);
    free(store->module);
    free(store->frame);
    syn_index_free(&store->text_index);
    syn_index_free(&store->object_index);
    syn_index_free(&store->module_index);
    syn_index_free(&store->frame_index);
    *store = (struct symbol_store){0};
}
