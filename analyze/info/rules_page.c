/* analyze/info/rules_page.c - the page of `info --rules`. */
#include "analyze/doc/doc.h"
#include "analyze/info/rules.h"

static void say_lines(struct syn_doc *doc, const char *key, const char *mark, char *const *lines,
                      size_t count)
{
    syn_doc_open(doc, key, '[');
    for (size_t i = 0; i < count; i++) {
        syn_doc_fact(doc, NULL, lines[i]);
        syn_say_pair(doc, 6, NULL, mark, "{text}", lines[i]);
    }
    syn_doc_close(doc);
}

/* Says how many rules are met, then each rule with its findings. */
void syn_rules_page(const struct syn_rule rule[SYN_RULE_COUNT], const struct syn_report *report,
                    struct syn_doc *doc)
{
    size_t count[4] = {0};
    for (int i = 0; i < SYN_RULE_COUNT; i++)
        count[rule[i].status]++;
    syn_doc_title(doc,
                  report->run_count > 1
                      ? "Twelve rules of benchmarking, and how this experiment meets them"
                      : "Twelve rules of benchmarking, and how this trace meets them",
                  "");
    syn_say(doc, "{n} met, {n} partly, {n} not met, {n} open (yours to say). + there, - missing.",
            count[0], count[1], count[2], count[3]);
    syn_say(doc, "The rules: Hoefler and Belli, Scientific Benchmarking of Parallel Computing "
                 "Systems, SC15.");
    syn_doc_open(doc, NULL, '{');
    syn_doc_fact(doc, "schema", 1);
    syn_doc_open(doc, "rules", '[');
    for (int i = 0; i < SYN_RULE_COUNT; i++) {
        const char *status = syn_rule_status_text(rule[i].status);
        syn_say_heading(doc, "{n} {text}: {text}", rule[i].number, rule[i].title, status);
        syn_doc_open(doc, NULL, '{');
        syn_doc_fact(doc, "rule", rule[i].number);
        syn_doc_fact(doc, "title", rule[i].title);
        syn_doc_fact(doc, "status", status);
        say_lines(doc, "found", "  +", rule[i].found, rule[i].found_count);
        say_lines(doc, "missing", "  -", rule[i].missing, rule[i].missing_count);
        syn_doc_close(doc);
    }
    syn_doc_close(doc);
    syn_doc_close(doc);
}
