/* analyze/symbols/store.c */
#include "analyze/symbols/store.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int compare_objects(const void *a, const void *b)
{
    return strcmp(((const struct symbol_object *)a)->key, ((const struct symbol_object *)b)->key);
}

static int compare_frames(const void *a, const void *b)
{
    const struct symbol_frame *one = a, *other = b;
    int order = one->object != other->object ? compare_objects(one->object, other->object) : 0;
    return order != 0 ? order : (one->offset > other->offset) - (one->offset < other->offset);
}

/* A tree's node starts with the pointer to its element. */
static void *element(void *node)
{
    return node ? *(void **)node : NULL;
}

const char *symbol_store_text(struct symbol_store *store, const char *text)
{
    char *found = element(tfind(text, &store->texts, compare_texts));
    if (found)
        return found;
    char *copy = strdup(text);
    if (copy && !tsearch(copy, &store->texts, compare_texts)) {
        free(copy);
        return NULL;
    }
    return copy;
}

static void free_object(void *item)
{
    struct symbol_object *object = item;
    syn_object_close(object->elf);
    free(object->key);
    free(object->path);
    free(object);
}

struct symbol_object *symbol_store_object(struct symbol_store *store, const char *key)
{
    const struct symbol_object wanted = {.key = (char *)key};
    struct symbol_object *object = element(tfind(&wanted, &store->objects, compare_objects));
    if (object)
        return object;
    object = calloc(1, sizeof *object);
    if (!object)
        return NULL;
    object->key = strdup(key);
    if (!object->key || !tsearch(object, &store->objects, compare_objects)) {
        free_object(object);
        return NULL;
    }
    return object;
}

const struct symbol_frame *symbol_store_find(struct symbol_store *store,
                                             struct symbol_object *object, uint64_t offset)
{
    const struct symbol_frame wanted = {.object = object, .offset = offset};
    return element(tfind(&wanted, &store->frames, compare_frames));
}

struct symbol_frame *symbol_store_add(struct symbol_store *store, struct symbol_object *object,
                                      uint64_t offset, const char *label)
{
    struct symbol_frame *frame = calloc(1, sizeof *frame);
    if (!frame)
        return NULL;
    *frame = (struct symbol_frame){.object = object, .offset = offset, .label = label};
    struct symbol_frame *kept = element(tsearch(frame, &store->frames, compare_frames));
    if (kept != frame)
        free(frame);
    return kept;
}

/* RATIONALE: twalk hands no closure on, and twalk_r, which does, came with glibc 2.30, after those
 * of the systems that are to be served. A walk may be made out of another one's visit. */
struct walk {
    void (*visit_object)(const struct symbol_object *object, void *ctx);
    void (*visit_frame)(const struct symbol_frame *frame, void *ctx);
    void *ctx;
};

static __thread const struct walk *under_way;

static void step(const void *node, VISIT order, int depth)
{
    const struct walk *walk = under_way;
    (void)depth;
    const void *item = *(void *const *)node;
    if (order != postorder && order != leaf)
        return;
    if (walk->visit_object)
        walk->visit_object(item, walk->ctx);
    else
        walk->visit_frame(item, walk->ctx);
}

static void walk_tree(const void *root, const struct walk *walk)
{
    const struct walk *const outer = under_way;
    under_way = walk;
    twalk(root, step);
    under_way = outer;
}

void symbol_store_each_object(const struct symbol_store *store,
                              void (*visit)(const struct symbol_object *object, void *ctx),
                              void *ctx)
{
    const struct walk walk = {.visit_object = visit, .ctx = ctx};
    walk_tree(store->objects, &walk);
}

void symbol_store_each_frame(const struct symbol_store *store,
                             void (*visit)(const struct symbol_frame *frame, void *ctx), void *ctx)
{
    const struct walk walk = {.visit_frame = visit, .ctx = ctx};
    walk_tree(store->frames, &walk);
}

void symbol_store_clear(struct symbol_store *store)
{
    tdestroy(store->frames, free);
    tdestroy(store->objects, free_object);
    tdestroy(store->texts, free);
    *store = (struct symbol_store){NULL, NULL, NULL};
}
