/* analyze/print/json.h - writes JSON: commas, indentation, escaping.
 *
 *     struct syn_json json = syn_json_start(&text);
 *     syn_json_open(&json, NULL, '{');
 *     syn_json_string(&json, "op", name);
 *     syn_json_open_line(&json, "completion_ns", '{');  ... its members follow on one line
 *     syn_json_close(&json); syn_json_close(&json);
 * Inside an object every value has a key; inside an array keys are NULL. */
#ifndef SYN_JSON_H
#define SYN_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/print/text.h"

#define SYN_JSON_DEPTH 16

struct syn_json {
    struct syn_text *text;
    unsigned depth;
    unsigned line_depth; /* containers from this depth on stay on their line; 0: none */
    bool has_elements[SYN_JSON_DEPTH];
    char closing[SYN_JSON_DEPTH];
};

struct syn_json syn_json_start(struct syn_text *text);
void syn_json_open(struct syn_json *json, const char *key, char bracket);
void syn_json_open_line(struct syn_json *json, const char *key, char bracket);
void syn_json_close(struct syn_json *json);
/* Writes the shortest text, of 15 digits or more, that reads back as the same double; null for NAN
 * and infinity. */
void syn_json_number(struct syn_json *json, const char *key, double value);
void syn_json_integer(struct syn_json *json, const char *key, int64_t value);
void syn_json_count(struct syn_json *json, const char *key, uint64_t value);
void syn_json_bool(struct syn_json *json, const char *key, bool value);
void syn_json_null(struct syn_json *json, const char *key);
/* Writes an escaped string; value NULL: null. Invalid UTF-8 becomes U+FFFD. */
void syn_json_string(struct syn_json *json, const char *key, const char *value);

/* Writes the text of a number into buffer [32]; "" for NAN and infinity. */
void syn_number_text(double value, char *buffer);

#endif
