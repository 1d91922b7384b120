/* analyze/hang/process.h - the kernel's view of the processes of a live run on this machine. */
#ifndef SYN_HANG_PROCESS_H
#define SYN_HANG_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/hang/model.h"
#include "trace/read/reader.h"

/* {0}: it is gone. */
struct syn_process {
    char state;                 /* of proc(5): 'R', 'S', 'T', 'Z' ... */
    unsigned long long started; /* in the kernel's ticks: a later one of its number has another */
};
struct syn_process syn_process_now(const char *pid);
/* By a signal or a debugger? */
static inline bool syn_process_is_stopped(char state)
{
    return state == 'T' || state == 't';
}

/* The run's identity, of 16 bytes; NULL: no rank has a file. */
const uint8_t *syn_hang_run_id(const struct syn_trace *trace);
/* Call `found` for each process of this machine that has the raw file of a rank of this very run
 * mapped; its number is in digits. */
void syn_hang_each_process(const struct syn_trace *trace,
                           void (*found)(void *ctx, int32_t rank, const char *pid), void *ctx);
/* The state of each rank whose process maps its raw file: `state`, and SYN_HANG_STOPPED. Where some
 * are found, a rank of this machine that is not, and whose raw file is still there, has died. What
 * cannot be found out stays as it is. */
void syn_hang_find_processes(const struct syn_trace *trace, struct syn_hang_model *model);

#endif
