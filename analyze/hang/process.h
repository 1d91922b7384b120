/* analyze/hang/process.h - reads the kernel's view of the processes of a live run on this
 * machine. */
#ifndef SYN_HANG_PROCESS_H
#define SYN_HANG_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/hang/model.h"
#include "trace/read/reader.h"

/* A process; {0}: it is gone. */
struct syn_process {
    char state;                 /* as in proc(5): 'R', 'S', 'T', 'Z' ... */
    unsigned long long started; /* in the kernel's clock ticks; tells the process from a later one
                                   of the same number */
};
struct syn_process syn_process_now(const char *pid);
/* Says whether a process in this state is stopped by a signal or a debugger. */
static inline bool syn_process_is_stopped(char state)
{
    return state == 'T' || state == 't';
}

/* Returns the run's identity, of 16 bytes; NULL: no rank has a file. */
const uint8_t *syn_hang_run_id(const struct syn_trace *trace);
/* Calls `found` for each process of this machine that maps the raw file of a rank of this run.
 * `pid` is its number, in digits. */
void syn_hang_each_process(const struct syn_trace *trace,
                           void (*found)(void *ctx, int32_t rank, const char *pid), void *ctx);
/* Sets `state` of each rank whose process maps its raw file, and SYN_HANG_STOPPED. If processes of
 * some ranks are found, a rank of this machine without a process has died, unless its raw file is
 * gone. The state of other ranks does not change. */
void syn_hang_find_processes(const struct syn_trace *trace, struct syn_hang_model *model);

#endif
