/* analyze/match/groups/match_fields.c - groups and totals as bytes: what processes of a team
 * exchange. */
#include "analyze/match/groups/groups_parts.h"
#include "analyze/match/match_internal.h"
#include "analyze/print/figures/figure_fields.h"

#include "analyze/match/match.def"
