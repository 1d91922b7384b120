/* analyze/report/findings/places.h - last arrivals by node and by socket, over a whole run. */
#ifndef SYN_PLACES_H
#define SYN_PLACES_H

#include "analyze/report/findings/report.h"
#include "sync/base/index.h"

enum syn_place_kind { SYN_PLACE_NODE, SYN_PLACE_SOCKET };

/* A node or a socket of a run. */
struct syn_report_place {
    char name[80]; /* "node00", "socket 1 of node00" */
    uint32_t node;
    const char *package; /* NULL: the place is a node; not owned */
    size_t rank_count;
    uint64_t instance_count, last_count; /* of the run; of these, one of its ranks was last in */
    double expected_last;                /* last arrivals by chance */
    double caused_ns;  /* waiting of others in instances in which one of its ranks came last */
    double dependence; /* largest last_dependence of its ranks; NAN: too few instances */
    uint64_t most_of_a_rank; /* largest last_count of one of its ranks */
    double p;                /* of last_count against chance, Holm over the places; NAN: unknown
                                (syn_places_of_run) */
};

struct syn_places {
    struct syn_report_place *place; /* [count], ordered by their first rank; owned */
    size_t count;
    enum syn_place_kind kind;
    struct syn_index index; /* of places, by node and package */
};

/* Finds all places of a run's recorded ranks, and tests last_count: binomial, for dependent
 * instances. p is NAN if there is only one place, no instance, or clocks cannot order ranks.
 * Returns 0 or SYN_ENOMEM. */
int syn_places_of_run(const struct syn_report *report, const struct syn_run_facts *run,
                      enum syn_place_kind kind, struct syn_places *out);
void syn_places_free(struct syn_places *places);
/* Returns the index of a rank's place. SIZE_MAX: its file is missing or does not name the place. */
size_t syn_place_of_rank(const struct syn_places *places, const struct syn_run_facts *run,
                         int32_t rank);

#endif
