/* analyze/symbols/symbols_internal.h - shared by symbols.c, symbols_file.c and wrappers.c. */
#ifndef SYN_SYMBOLS_INTERNAL_H
#define SYN_SYMBOLS_INTERNAL_H

#include "analyze/symbols/store.h"
#include "analyze/symbols/symbols.h"

struct syn_symbols {
    struct symbol_store store;
    bool paths;           /* call sites are paths of frames */
    const char *skip;     /* patterns; NULL: wrappers are skipped */
    const char **wrapper; /* [wrapper_count] interned functions; owned array */
    size_t wrapper_count, wrapper_capacity;
    bool has_wrappers;               /* wrappers were searched for, or taken from another report */
    int64_t unchanged_since_unix_ns; /* newest time of objects without a build id; 0: these are not
                                        used */
};

/* Returns the cleaned text, interned. NULL: no memory. */
const char *symbols_intern(struct syn_symbols *symbols, const char *text);
/* Returns the module of a frame; NULL: it is not known. */
const struct symbol_module *symbols_module(struct syn_symbols *symbols,
                                           const struct syn_rank_file *file,
                                           const struct syn_frame *frame);
/* Returns the function of a frame, interned; NULL: it is not known, or it is the C library's start
 * of the program. */
const char *symbols_function(struct syn_symbols *symbols, const struct symbol_module *module,
                             const struct syn_frame *frame);
/* Returns the index of the frame that is the call site of a stack. */
#define SYMBOLS_NO_FRAME UINT32_MAX /* no frame lies in a known object */
uint32_t symbols_site_frame(struct syn_symbols *symbols, const struct syn_rank_file *file,
                            const struct syn_stack_record *stack);
/* Returns whether the function, which is interned, is a wrapper. */
bool symbols_is_wrapper(const struct syn_symbols *symbols, const char *function);

#endif
