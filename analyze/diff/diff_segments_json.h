/* analyze/diff/diff_segments_json.h - segments of a diff in its JSON. */
#ifndef SYN_DIFF_SEGMENTS_JSON_H
#define SYN_DIFF_SEGMENTS_JSON_H

#include "analyze/diff/diff.h"
#include "analyze/print/json.h"

/* "segments", inside the diff's object. Keys: docs/reports.md. */
void syn_diff_segments_json(struct syn_json *json, const struct syn_diff *diff);

#endif
