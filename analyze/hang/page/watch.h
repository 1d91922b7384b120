/* analyze/hang/page/watch.h - a live run, looked at once a second. */
#ifndef SYN_HANG_WATCH_H
#define SYN_HANG_WATCH_H

#include "analyze/hang/hang.h"
#include "analyze/match/members/experiment.h"

/* Until the run ends: then a page on what is left, and the exit status of `hang` on it. Redraws a
 * terminal; elsewhere a page each time that the state changes; of `json` each page is one line. */
int syn_hang_watch(const struct syn_run_path *path, const struct syn_hang_options *options,
                   bool json);

#endif
