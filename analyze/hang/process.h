/* analyze/hang/process.h - what the kernel says of the processes of a live run on this machine. */
#ifndef SYN_HANG_PROCESS_H
#define SYN_HANG_PROCESS_H

#include "analyze/hang/model.h"
#include "trace/read/reader.h"

/* Call `found` for each process of this machine that has the raw file of a rank of the trace
 * mapped; its number is in digits. */
void syn_hang_each_process(const struct syn_trace *trace,
                           void (*found)(void *ctx, int32_t rank, const char *pid), void *ctx);
/* The state of each rank whose process maps its raw file: `state`, and SYN_HANG_STOPPED. Where some
 * are found, a rank of this machine that is not has died. What cannot be found out stays as it is.
 */
void syn_hang_find_processes(const struct syn_trace *trace, struct syn_hang_model *model);

#endif
