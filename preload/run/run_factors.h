/* preload/run/run_factors.h - writes the conditions of the run to the rank's file. */
#ifndef SYN_RUN_FACTORS_H
#define SYN_RUN_FACTORS_H

#include "preload/facts/host_facts.h"
#include "preload/run/run.h"

/* `host` may be NULL. `kept_in_memory`: why events do not outlive the process; NULL: they do. */
void syn_run_write_factors(const struct syn_run *run, const struct syn_host_facts *host,
                           const char *kept_in_memory);

#endif
