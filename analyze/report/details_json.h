/* analyze/report/details_json.h - parts of a group's JSON. */
#ifndef SYN_DETAILS_JSON_H
#define SYN_DETAILS_JSON_H

#include "analyze/print/json.h"
#include "analyze/report/details.h"

/* "normality", "autocorrelation", "independence", "rate", "precision", "levels". */
void syn_details_json(struct syn_json *json, const struct syn_figures *figures,
                      const struct syn_details *details);
void syn_details_places_json(struct syn_json *json, const char *key,
                             const struct syn_place_figures *place, size_t count);
/* Nothing where the report has no pairs. */
void syn_details_pairs_json(struct syn_json *json, const struct syn_figures *figures);

#endif
