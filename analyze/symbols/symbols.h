/* analyze/symbols/symbols.h - names the frames of a call stack: function, file, line.
 *
 * A frame in a trace is (build id, offset). Its label comes from the `symbols` file of the trace if
 * that has it. Else it comes from the object on this machine, by libdwfl of elfutils, which also
 * reads debug files under /usr/lib/debug/.build-id. An object is used only if it has the build id
 * in the trace. The forms of a label:
 *
 *     main.c:31 solve      lines are known: file, line, function (the innermost inlined one)
 *     solve+0x1f (hpcc)    only symbols are known: function, offset in it, object
 *     hpcc+0x1234          neither is known: object, offset in it
 *     ?                    no stack was captured, or no frame of it lies in a known object
 *
 * C++ names are shown without their parameters. They are demangled by __cxa_demangle of libstdc++
 * if that library is installed; it is loaded at the first such name, and no C++ is linked. Module
 * procedures of gfortran are shown as module::procedure.
 *
 * Labels come from files, so they are cleaned: they are valid UTF-8 without control characters.
 * They have any length, since a call site is identified by its label; pages shorten them
 * (print/units.h). Equal labels of one struct syn_symbols are equal pointers. No function may be
 * called concurrently. */
#ifndef SYN_SYMBOLS_H
#define SYN_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/read/reader.h"

#define SYN_SYMBOLS_NAME  "symbols" /* file in a trace directory */
#define SYN_LABEL_UNKNOWN "?"

struct syn_symbols;

/* Creates labels for all traces that are read together. Removes DEBUGINFOD_URLS from the
 * environment of this process, so that nothing is downloaded. Returns 0 or SYN_ENOMEM. */
int syn_symbols_open(struct syn_symbols **out);
void syn_symbols_close(struct syn_symbols *symbols); /* `symbols` may be NULL */

/* Reads the labels of a trace's `symbols` file. Called before labels are asked for. Returns 0;
 * SYN_EMISSING: there is no such file; SYN_EDAMAGED, SYN_EVERSION, SYN_EIO or SYN_ENOMEM. After an
 * error labels come from the objects on this machine. */
int syn_symbols_load(struct syn_symbols *symbols, const char *directory);

/* Does the same for an open trace, and adds a fault to the trace if its labels cannot be used. A
 * missing file is no fault. Returns 0 or SYN_ENOMEM. */
int syn_symbols_take(struct syn_symbols *symbols, struct syn_trace *trace);

/* Chooses how call sites are found and shown. Called before the first call site is asked for.
 * `paths`: a call site is shown as all frames from its own outward, "comm.c:9 sum < solve.c:40
 * solve < main.c:12 main" (SYN_PATH_SEPARATOR), without the frames in which the C library starts
 * the program. `skip`: patterns (fnmatch), separated by commas, of functions, files or objects that
 * only pass calls on, "comm_sum,libpetsc*"; their frames are skipped. NULL: the frames of wrappers
 * (wrappers.h) are skipped. Borrows `skip`. */
#define SYN_PATH_SEPARATOR " < "
void syn_symbols_choose_site(struct syn_symbols *symbols, bool paths, const char *skip);

/* Returns the label of a stack's call site. That is the innermost frame that is neither runtime
 * (syn_symbols_is_runtime) nor skipped; if there is none, the innermost skipped frame; if there is
 * none, the outermost frame in a known object. A call site without a function is shown with the
 * nearest outer frame that has one: "hpcc+0x4285f below fwfft_". Owned by `symbols`; never NULL. */
const char *syn_symbols_site(struct syn_symbols *symbols, const struct syn_rank_file *file,
                             uint32_t stack_index);

/* Returns the label of one frame; depth 0 is the innermost. NULL: there is no such frame, or no
 * memory. */
const char *syn_symbols_frame(struct syn_symbols *symbols, const struct syn_rank_file *file,
                              uint32_t stack_index, uint32_t depth);

/* Returns the compiler of the main program, as the binary names it ("GNU C17 12.2.0 -O2 -g"). NULL:
 * the binary does not name it. Owned by `symbols`. */
const char *syn_symbols_compiler(struct syn_symbols *symbols, const struct syn_rank_file *file);

/* Labels the frames of all stacks of all ranks, and writes them into the trace, which keeps its
 * labels on machines without the program. The file is written under another name, then renamed.
 * Returns 0, SYN_EIO or SYN_ENOMEM. */
int syn_symbols_save(struct syn_symbols *symbols, const struct syn_trace *trace);

/* Returns whether the object at this path is runtime: part of MPI or of the libraries that MPI
 * uses, of syncopate, or the loader. */
bool syn_symbols_is_runtime(const char *module_path);

#endif
