/* tests/bench/claims.c - how often is what the analysis says false, and how often does it find what
 * is there? usage: claims CAMPAIGN [TRIALS] */
#include <string.h>

#include "claims.h"

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(size_t trial_count);
        size_t trial_count;
    } campaigns[] = {
        {"diffs", claims_of_diffs, 400},         {"ranks", claims_of_ranks, 1000},
        {"late", claims_of_late_ranks, 1000},    {"intervals", claims_of_intervals, 4000},
        {"changes", claims_of_changes, 4000},    {"warmups", claims_of_warmups, 4000},
        {"firsts", claims_of_first_calls, 1000}, {"until", claims_of_stopping, 4000},
        {"clocks", claims_of_clocks, 100},       {"totals", claims_of_totals, 4000},
        {"gates", claims_of_gates, 4000},        {"uneven", claims_of_uneven_work, 1000}};
    for (size_t i = 0; argc > 1 && i < sizeof campaigns / sizeof *campaigns; i++) {
        if (strcmp(argv[1], campaigns[i].name) == 0) {
            campaigns[i].run(argc > 2 ? (size_t)atol(argv[2]) : campaigns[i].trial_count);
            return 0;
        }
    }
    fprintf(
        stderr,
        "usage: claims diffs|ranks|late|intervals|changes|warmups|firsts|until|clocks|totals|gates|"
        "uneven [TRIALS]\n");
    return 2;
}
