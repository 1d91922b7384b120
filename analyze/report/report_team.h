/* analyze/report/report_team.h - a report made by a team (match/team.h): what it exchanges besides
 * the slices. */
#ifndef SYN_REPORT_TEAM_H
#define SYN_REPORT_TEAM_H

#include "analyze/report/findings/report.h"
#include "sync/base/fields.h"

/* Send the sums of a part of a match to another process of the same program, which adds them.
 * Return 0, SYN_ENOMEM, SYN_ETRANSPORT. */
int syn_facts_part_put(const struct syn_facts_part *part, struct syn_bytes *out);
int syn_facts_part_take(struct syn_take *take, const struct syn_name_map *map,
                        struct syn_facts_part *part);

/* Do all see the same run? `status` is that of opening it, `trace` NULL where that failed. Returns
 * 0, or SYN_ETRANSPORT with *why a line (caller frees); SYN_ENOMEM. Nothing to ask without a team.
 */
int syn_team_agree(struct syn_team *team, const struct syn_run_path *path, int status,
                   struct syn_trace *trace, char **why);

/* The sums of causes that each process has kept, to process 0: a process adds up what those behind
 * it have before it sends, so that none takes in more than log2(team size). 0, SYN_ENOMEM,
 * SYN_ETRANSPORT. */
int syn_team_gather_causes(struct syn_team *team, struct syn_names *names,
                           struct syn_causes *causes);

/* Figures to the process that puts together, and there: `group` is the same group. 0, SYN_ENOMEM,
 * SYN_ETRANSPORT; free *out in any case. */
void syn_figures_put(const struct syn_figures *figures, struct syn_bytes *out);
int syn_figures_take(struct syn_take *take, const struct syn_group *group, struct syn_figures *out);

/* The structures that travel. */
extern const struct syn_fields syn_causality_fields, syn_rank_facts_fields,
    syn_metric_figures_fields, syn_rank_figures_fields, syn_run_figures_fields, syn_pair_fields,
    syn_figures_fields, syn_sight_fields;

#endif
