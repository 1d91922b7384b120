/* analyze/info/rules_print.c - writes the verdicts of `info --rules` as text or as JSON. */
#include <stdio.h>
#include <string.h>

#include "analyze/info/rules.h"
#include "analyze/print/json.h"
#include "analyze/print/text.h"

static void write_line(const struct syn_terminal *terminal, const char *mark, const char *words,
                       struct syn_text *text)
{
    struct syn_text harmless = {0};
    syn_text_harmless(&harmless, words);
    syn_text_wrapped(text, terminal->width, 8, mark, syn_text_chars(&harmless));
    syn_text_free(&harmless);
}

/* Writes how many rules are met, then each rule with its findings. */
void syn_rules_text(const struct syn_rule rule[SYN_RULE_COUNT], const struct syn_report *report,
                    const struct syn_terminal *terminal, struct syn_text *text)
{
    size_t count[4] = {0};
    for (int i = 0; i < SYN_RULE_COUNT; i++)
        count[rule[i].status]++;
    syn_text_format(text, "%sTwelve rules of benchmarking, and how %s meets them%s\n",
                    syn_style_on(terminal, SYN_STYLE_BOLD),
                    report->run_count > 1 ? "this experiment" : "this trace",
                    syn_style_off(terminal));
    syn_text_format(text, "%zu met, %zu partly, %zu not met, %zu open (yours to say)\n", count[0],
                    count[1], count[2], count[3]);
    for (int i = 0; i < SYN_RULE_COUNT; i++) {
        static const enum syn_style styles[] = {[SYN_RULE_MET] = SYN_STYLE_GOOD,
                                                [SYN_RULE_PARTLY] = SYN_STYLE_BOLD,
                                                [SYN_RULE_NOT_MET] = SYN_STYLE_BAD,
                                                [SYN_RULE_OPEN] = SYN_STYLE_BOLD};
        const char *status = syn_rule_status_text(rule[i].status);
        size_t used = 4 + strlen(rule[i].title) + strlen(status);
        syn_text_format(text, "\n%2d  %s ", rule[i].number, rule[i].title);
        syn_text_repeat(text, '.', used + 2 < terminal->width ? terminal->width - used - 2 : 2);
        syn_text_format(text, " %s%s%s\n", syn_style_on(terminal, styles[rule[i].status]), status,
                        syn_style_off(terminal));
        for (size_t j = 0; j < rule[i].found_count; j++)
            write_line(terminal, "      + ", rule[i].found[j], text);
        for (size_t j = 0; j < rule[i].missing_count; j++)
            write_line(terminal, "      - ", rule[i].missing[j], text);
    }
    syn_text_string(text, "\n  + there, - missing. The rules: Hoefler and Belli, Scientific "
                          "Benchmarking of\n  Parallel Computing Systems, SC15.\n");
}

static void write_lines(struct syn_json *json, const char *key, char *const *lines, size_t count)
{
    syn_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        syn_json_string(json, NULL, lines[i]);
    syn_json_close(json);
}

void syn_rules_json(const struct syn_rule rule[SYN_RULE_COUNT], struct syn_json *json)
{
    syn_json_open(json, NULL, '{');
    syn_json_integer(json, "schema", 1);
    syn_json_open(json, "rules", '[');
    for (int i = 0; i < SYN_RULE_COUNT; i++) {
        syn_json_open(json, NULL, '{');
        syn_json_integer(json, "rule", rule[i].number);
        syn_json_string(json, "title", rule[i].title);
        syn_json_string(json, "status", syn_rule_status_text(rule[i].status));
        write_lines(json, "found", rule[i].found, rule[i].found_count);
        write_lines(json, "missing", rule[i].missing, rule[i].missing_count);
        syn_json_close(json);
    }
    syn_json_close(json);
    syn_json_close(json);
}
