/* analyze/symbols/wrappers.c - finds wrappers (wrappers.h).
 *
 *   stack:    MPI library | call site's function | its caller | ...
 *   link:                   function, address of its call, caller
 *
 * Each stack gives a link. The callers of a function, and the addresses of its calls, are counted
 * over all links. Then the call site of a stack that goes through a wrapper is one frame further
 * out, and the links are counted again. */
#include "analyze/symbols/wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/symbols/symbols_internal.h"
#include "sync/base/cleanup.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* Number of ranks whose stacks are read. Ranks run the same program, so these have all of its
 * calls. */
#define RANKS_MOST 16
/* Number of rounds. Each finds wrappers that call those of the round before. */
#define ROUNDS_MOST 3
/* Callers that a wrapper has for each of its own calls to MPI. */
#define CALLERS_A_CALL 2

struct link {
    const char *function, *caller; /* interned; caller NULL: not known */
    const struct symbol_object *object;
    uint64_t offset; /* with the object: the address of the call */
};

struct links {
    struct link *link; /* [count], owned */
    size_t count, capacity;
};

/* ---- gathering ---- */

/* Returns the function that calls that of frame `site`; NULL: not known. */
static const char *caller_of(struct syn_symbols *symbols, const struct syn_rank_file *file,
                             const struct syn_stack_record *stack, uint32_t site)
{
    for (uint32_t i = site + 1; i < stack->depth; i++) {
        const struct symbol_module *module = symbols_module(symbols, file, &stack->frames[i]);
        if (module && !module->is_runtime)
            return symbols_function(symbols, module, &stack->frames[i]);
    }
    return NULL;
}

static int add_stack(struct syn_symbols *symbols, const struct syn_rank_file *file, uint32_t number,
                     struct links *links)
{
    const struct syn_stack_record *stack = syn_rank_stack(file, number);
    const uint32_t site = symbols_site_frame(symbols, file, stack);
    if (site == SYMBOLS_NO_FRAME)
        return 0;
    const struct syn_frame *frame = &stack->frames[site];
    const struct symbol_module *module = symbols_module(symbols, file, frame);
    const char *function =
        module && !module->is_runtime ? symbols_function(symbols, module, frame) : NULL;
    if (!function || symbols_is_wrapper(symbols, function))
        return 0;
    if (SYN_ROOM(links->link, links->capacity, links->count) != SYN_OK)
        return SYN_ENOMEM;
    links->link[links->count++] = (struct link){function, caller_of(symbols, file, stack, site),
                                                module->object, frame->offset};
    return 0;
}

/* ---- counting ---- */

SYN_ORDER(by_function, struct link, strcmp(a->function, b->function))

static int by_caller(const void *left, const void *right)
{
    const uintptr_t a = (uintptr_t)((const struct link *)left)->caller;
    const uintptr_t b = (uintptr_t)((const struct link *)right)->caller;
    return (a > b) - (a < b);
}

SYN_ORDER(by_address, struct link, SYN_UP(object->number) ?: SYN_UP(offset))

/* Returns whether the function of these links [count] is a wrapper. Reorders the links. */
static bool only_passes_on(struct link *link, size_t count)
{
    size_t callers = 0, calls = 0;
    qsort(link, count, sizeof *link, by_caller);
    for (size_t i = 0; i < count; i++)
        callers += link[i].caller && link[i].caller != link[i].function &&
                   (i == 0 || link[i].caller != link[i - 1].caller);
    qsort(link, count, sizeof *link, by_address);
    for (size_t i = 0; i < count; i++)
        calls += i == 0 || by_address(&link[i - 1], &link[i]) != 0;
    return callers >= SYN_WRAPPER_CALLERS && callers >= CALLERS_A_CALL * calls;
}

/* ---- the list ---- */

bool symbols_is_wrapper(const struct syn_symbols *symbols, const char *function)
{
    for (size_t i = 0; i < symbols->wrapper_count; i++)
        if (symbols->wrapper[i] == function)
            return true;
    return false;
}

static int add_wrapper(struct syn_symbols *symbols, const char *function)
{
    if (!function ||
        SYN_ROOM(symbols->wrapper, symbols->wrapper_capacity, symbols->wrapper_count) != SYN_OK)
        return SYN_ENOMEM;
    symbols->wrapper[symbols->wrapper_count++] = function;
    return 0;
}

int syn_symbols_find_wrappers(struct syn_symbols *symbols, const struct syn_trace *trace)
{
    int status = 0;
    size_t known = SIZE_MAX;
    if (symbols->paths || symbols->skip || symbols->has_wrappers)
        return 0;
    symbols->has_wrappers = true;
    for (int round = 0; round < ROUNDS_MOST && status == SYN_OK && known != symbols->wrapper_count;
         round++) {
        struct links links = {0};
        known = symbols->wrapper_count;
        int files = 0;
        for (int32_t rank = 0; rank < syn_trace_size(trace) && files < RANKS_MOST; rank++) {
            const struct syn_rank_file *file = syn_trace_rank(trace, rank);
            files += file != NULL;
            for (uint32_t i = 0; file && i < syn_rank_stack_count(file) && status == SYN_OK; i++)
                status = add_stack(symbols, file, i, &links);
        }
        if (status == SYN_OK) {
            if (links.count > 0)
                qsort(links.link, links.count, sizeof *links.link, by_function);
            for (size_t i = 0, end; i < links.count && status == SYN_OK; i = end) {
                const char *function = links.link[i].function;
                for (end = i + 1; end < links.count && links.link[end].function == function;)
                    end++;
                if (only_passes_on(&links.link[i], end - i))
                    status = add_wrapper(symbols, function);
            }
        }
        free(links.link);
    }
    return status;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

char *syn_symbols_wrappers(struct syn_symbols *symbols)
{
    size_t bytes = 1;
    for (size_t i = 0; i < symbols->wrapper_count; i++)
        bytes += strlen(symbols->wrapper[i]) + 1;
    char *list = calloc(1, bytes), *end = list;
    if (symbols->wrapper_count > 1)
        qsort(symbols->wrapper, symbols->wrapper_count, sizeof *symbols->wrapper, by_name);
    for (size_t i = 0; list && i < symbols->wrapper_count; i++)
        end = stpcpy(i ? stpcpy(end, "\n") : end, symbols->wrapper[i]);
    return list;
}

int syn_symbols_take_wrappers(struct syn_symbols *symbols, const char *wrappers)
{
    SYN_FREED char *list = strdup(wrappers);
    char *rest = NULL;
    int status = list ? 0 : SYN_ENOMEM;
    symbols->has_wrappers = true;
    for (char *name = list ? strtok_r(list, "\n", &rest) : NULL; name && status == SYN_OK;
         name = strtok_r(NULL, "\n", &rest))
        status = add_wrapper(symbols, symbol_store_text(&symbols->store, name));
    return status;
}
