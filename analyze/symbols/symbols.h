/* analyze/symbols/symbols.h - names a frame of a call stack: function, file, line.
 *
 * A frame in a trace is (build id, offset). Its label comes from the trace's own `symbols` file
 * where it has one, else from the object on this machine, by elfutils' libdwfl, with debug files
 * under /usr/lib/debug/.build-id as usual. A file is believed only if it carries the build id in
 * the trace. The forms of a label:
 *
 *     main.c:31 solve      lines are known: file, line, function (the innermost inlined one)
 *     solve+0x1f (hpcc)    only symbols are known: function, offset in it, object
 *     hpcc+0x1234          neither is known: object, offset in it
 *     ?                    no stack was captured, or no frame of it lies in a known object
 *
 * C++ names are demangled by __cxa_demangle of libstdc++ where that library is installed (looked up
 * when the first such name comes along; no C++ is linked), without their parameters; gfortran's
 * module procedures read module::procedure.
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

/* Creates the labels of all traces that are looked at together. Takes DEBUGINFOD_URLS out of this
 * process's environment: a report downloads nothing. Returns 0 or SYN_ENOMEM. */
int syn_symbols_open(struct syn_symbols **out);
void syn_symbols_close(struct syn_symbols *symbols); /* NULL is fine */

/* Read the labels that a trace brings with it, before asking for any.
 * Returns 0; SYN_EMISSING where it has none; SYN_EDAMAGED, SYN_EVERSION (nothing is taken over),
 * SYN_EIO, SYN_ENOMEM: all of them only mean that labels will come from this machine's files. */
int syn_symbols_load(struct syn_symbols *symbols, const char *directory);

/* As above. Labels that cannot be used are added to the trace's faults; a trace without labels has
 * no fault. Returns 0 or SYN_ENOMEM. */
int syn_symbols_take(struct syn_symbols *symbols, struct syn_trace *trace);

/* Chooses how sites are found and shown; call it before the first site is asked for. `paths`: a
 * site is shown as all frames from its own outward, "comm.c:9 sum < solve.c:40 solve < main.c:12
 * main" (SYN_PATH_SEPARATOR), without the C library's start of the program. `skip`: patterns
 * (fnmatch) with commas between them, "comm_sum,libpetsc*", of functions, files or objects that
 * only pass calls on; their frames are skipped. NULL: those of wrappers are (wrappers.h). `skip` is
 * borrowed. */
#define SYN_PATH_SEPARATOR " < "
void syn_symbols_choose_site(struct syn_symbols *symbols, bool paths, const char *skip);

/* Returns the label of a stack's site: its innermost frame that is neither runtime
 * (syn_symbols_is_runtime) nor skipped. Without such a frame: the innermost skipped one; without
 * that, too: the outermost frame in a known object. A site without a function is shown with the
 * nearest outer frame that has one: "hpcc+0x4285f below fwfft_". Owned by symbols; never NULL. */
const char *syn_symbols_site(struct syn_symbols *symbols, const struct syn_rank_file *file,
                             uint32_t stack_index);

/* Returns the label of one frame, 0 the innermost; NULL past the last, or without memory. */
const char *syn_symbols_frame(struct syn_symbols *symbols, const struct syn_rank_file *file,
                              uint32_t stack_index, uint32_t depth);

/* Returns the main program's compiler, as the binary names it ("GNU C17 12.2.0 -O2 -g"); NULL where
 * it does not say. Owned by symbols. */
const char *syn_symbols_compiler(struct syn_symbols *symbols, const struct syn_rank_file *file);

/* Resolve the frames of all stacks of all ranks and write them into the trace, so that it keeps its
 * labels on a machine without the program. Atomic (written beside and renamed). Returns 0, SYN_EIO,
 * SYN_ENOMEM. */
int syn_symbols_save(struct syn_symbols *symbols, const struct syn_trace *trace);

/* Is the object of this path runtime: of an MPI library, of what lies beneath one, of syncopate, or
 * the loader? */
bool syn_symbols_is_runtime(const char *module_path);

#endif
