/* analyze/symbols/symbols_internal.h - shared by symbols.c and symbols_file.c. */
#ifndef SYN_SYMBOLS_INTERNAL_H
#define SYN_SYMBOLS_INTERNAL_H

#include "analyze/symbols/store.h"
#include "analyze/symbols/symbols.h"

struct syn_symbols {
    struct symbol_store store;
    bool paths;                      /* a site is a path of frames */
    const char *skip;                /* patterns; NULL: none */
    int64_t unchanged_since_unix_ns; /* of objects without a build id; 0: those are not believed */
};

/* Clean and intern. */
const char *symbols_intern(struct syn_symbols *symbols, const char *text);

#endif
