/* analyze/diff/diff_json_parts.c - keys that several objects of the diff's JSON have. */
#include "analyze/diff/diff_json_parts.h"

#include <stdio.h>

void syn_shift_json(struct syn_json *json, const char *name, const struct syn_shift *shift)
{
    char key[40];
    syn_json_number(json, name, shift->estimate);
    snprintf(key, sizeof key, "%s_low", name);
    syn_json_number(json, key, shift->low);
    snprintf(key, sizeof key, "%s_high", name);
    syn_json_number(json, key, shift->high);
}

void syn_test_json(struct syn_json *json, const struct syn_wilcoxon *test, double p_adjusted)
{
    syn_json_number(json, "U", test->U);
    syn_json_number(json, "p", test->p);
    syn_json_number(json, "p_adjusted", p_adjusted);
}

void syn_values_json(struct syn_json *json, const double *value, size_t count)
{
    syn_json_open(json, "values", '[');
    for (size_t i = 0; i < count; i++)
        syn_json_number(json, NULL, value[i]);
    syn_json_close(json);
}
