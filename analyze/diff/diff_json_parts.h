/* analyze/diff/diff_json_parts.h - keys that several objects of the diff's JSON have. */
#ifndef SYN_DIFF_JSON_PARTS_H
#define SYN_DIFF_JSON_PARTS_H

#include "analyze/diff/diff.h"
#include "analyze/print/json.h"

/* NAME, NAME_low, NAME_high. */
void syn_shift_json(struct syn_json *json, const char *name, const struct syn_shift *shift);
/* U, p, p_adjusted. */
void syn_test_json(struct syn_json *json, const struct syn_wilcoxon *test, double p_adjusted);
/* "values": [...]. */
void syn_values_json(struct syn_json *json, const double *value, size_t count);

#endif
