/* analyze/symbols/symbols.h - names a frame of a call stack: function, file, line.
 *
 * A frame in a trace is (build id, offset). Its label comes from the trace's own `symbols` file
 * where it has one, else from the object on this machine, by elfutils' libdwfl, with debug files
 * under /usr/lib/debug/.build-id as usual. A file is believed only if it carries the build id in
 * the trace. Labels: main.c:31 solve        lines are known: basename, line, function (the
 * innermost inlined one) solve+0x1f (hpcc)      only symbols are known hpcc+0x1234 neither ? no
 * stack was captured, or no frame of it lies in a known object C++ names are demangled by
 * __cxa_demangle of libstdc++ where that library is installed (looked up when the first such name
 * comes along; no C++ is linked), without their parameters; gfortran's module procedures read
 * module::procedure.
 *
 * Labels are data from elsewhere made harmless: valid UTF-8, no control characters. They are whole,
 * as long as a name of C++ may be, for a site is known by its label; pages shorten what they show
 * (print/units.h). Equal labels are equal pointers (of one struct syn_symbols). Not for concurrent
 * use. */
#ifndef SYN_SYMBOLS_H
#define SYN_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/read/reader.h"

#define SYN_SYMBOLS_NAME  "symbols" /* the file in a trace directory */
#define SYN_LABEL_UNKNOWN "?"

struct syn_symbols;

/* One for all traces that are looked at together. Takes DEBUGINFOD_URLS out of this process's
 * environment: a report downloads nothing. Returns 0 or SYN_ENOMEM. */
int syn_symbols_open(struct syn_symbols **out);
void syn_symbols_close(struct syn_symbols *symbols); /* NULL is fine */

/* Read the labels that a trace brings with it, before asking for any.
 * Returns 0; SYN_EMISSING where it has none; SYN_EDAMAGED, SYN_EVERSION (nothing is taken over),
 * SYN_EIO, SYN_ENOMEM: all of them only mean that labels will come from this machine's files. */
int syn_symbols_load(struct syn_symbols *symbols, const char *directory);

/* As above; if the labels cannot be used the trace has a fault more (none is none). Returns 0 or
 * SYN_ENOMEM. */
int syn_symbols_take(struct syn_symbols *symbols, struct syn_trace *trace);

/* Chooses the meaning of a site; before the first is asked for. `paths`: not a frame but all of
 * them from the site's outward, "comm.c:9 sum < solve.c:40 solve < main.c:12 main"
 * (SYN_PATH_SEPARATOR), without the C library's start of the program. `skip`: a list
 * "comm_sum,libpetsc*" of patterns (fnmatch) of functions, files or objects that only pass calls
 * on: the site is the innermost frame outside them; NULL: wrappers (wrappers.h). Borrowed. */
#define SYN_PATH_SEPARATOR " < "
void syn_symbols_choose(struct syn_symbols *symbols, bool paths, const char *skip);

/* "hpcc+0x4285f below fwfft_": of a site without a name also the nearest frame that has one.
 *
 * The label of a stack's site: its innermost frame outside the MPI library, syncopate and what is
 * skipped (of a stack that lies within those altogether: its outermost frame). Owned by symbols;
 * never NULL. */
const char *syn_symbols_site(struct syn_symbols *symbols, const struct syn_rank_file *file,
                             uint32_t stack_index);

/* The label of one frame, 0 the innermost; NULL past the last. */
const char *syn_symbols_frame(struct syn_symbols *symbols, const struct syn_rank_file *file,
                              uint32_t stack_index, uint32_t depth);

/* Returns the main program's compiler, as the binary names it ("GNU C17 12.2.0 -O2 -g"); NULL where
 * it does not say. Owned by symbols. */
const char *syn_symbols_compiler(struct syn_symbols *symbols, const struct syn_rank_file *file);

/* Resolve the frames of all stacks of all ranks and write them into the trace, so that it keeps its
 * labels on a machine without the program. Atomic (written beside and renamed). Returns 0, SYN_EIO,
 * SYN_ENOMEM. */
int syn_symbols_save(struct syn_symbols *symbols, const struct syn_trace *trace);

/* Whether an object of this path belongs to an MPI library, to what lies beneath one, or to
 * syncopate. */
bool syn_symbols_is_runtime(const char *module_path);

#endif
