/* analyze/symbols/symbols_internal.h - shared by symbols.c, symbols_file.c and wrappers.c. */
#ifndef SYN_SYMBOLS_INTERNAL_H
#define SYN_SYMBOLS_INTERNAL_H

#include "analyze/symbols/store.h"
#include "analyze/symbols/symbols.h"

struct syn_symbols {
    struct symbol_store store;
    bool paths;           /* a site is a path of frames */
    const char *skip;     /* patterns; NULL: none */
    const char **wrapper; /* [wrapper_count] interned functions; owned array */
    size_t wrapper_count, wrapper_capacity;
    bool has_wrappers;               /* they were found, or taken over */
    int64_t unchanged_since_unix_ns; /* of objects without a build id; 0: those are not believed */
};

/* Clean and intern. */
const char *symbols_intern(struct syn_symbols *symbols, const char *text);
/* The object that a frame lies in; NULL where it lies in no known one. */
const struct symbol_module *symbols_module(struct syn_symbols *symbols,
                                           const struct syn_rank_file *file,
                                           const struct syn_frame *frame);
/* The function of a frame, interned; NULL where none is known, or it only starts the program. */
const char *symbols_function(struct syn_symbols *symbols, const struct symbol_module *module,
                             const struct syn_frame *frame);
/* The number of the frame that a stack's site is in. */
#define SYMBOLS_NO_FRAME UINT32_MAX /* no frame lies in a known object */
uint32_t symbols_site_frame(struct syn_symbols *symbols, const struct syn_rank_file *file,
                            const struct syn_stack_record *stack);
/* Is the interned function one that only passes calls on? */
bool symbols_is_wrapper(const struct syn_symbols *symbols, const char *function);

#endif
