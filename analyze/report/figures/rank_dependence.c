/* analyze/report/figures/rank_dependence.c - adapts the tests across ranks to instances that depend
 * on one another.
 *
 * RATIONALE: noise that persists keeps a rank slow, or fast, for many calls. A test that takes
 * calls as independent then finds that ranks differ. The relevant dependence is how long a rank's
 * lead over the others lasts. Changes that all members of an instance share do not matter. */
#include <math.h>
#include <stdlib.h>

#include "analyze/report/figures/figures_parts.h"
#include "analyze/stats/series/longrun.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* A group of more values is sampled: RANKS_MOST ranks evenly over all, and pieces of PIECE
 * neighbours evenly over the group. n_effective is then that of the pieces alone, which is less
 * than that of the group. */
#define VALUES_MOST ((size_t)1 << 17)
#define RANKS_MOST  ((size_t)256)
#define PIECE       ((size_t)256)

struct sample {
    const struct syn_figures *figures;
    size_t n, k;         /* rows and columns taken */
    size_t pieces, each; /* rows are pieces x each */
    double *x;           /* [k][n] */
};

static int read_sample(struct sample *sample)
{
    size_t rest = sample->figures->rank[0].n - sample->each;
    int status = 0;
    for (size_t piece = 0; piece < sample->pieces; piece++) {
        size_t first = sample->pieces > 1 ? piece * rest / (sample->pieces - 1) : 0;
        for (size_t column = 0; column < sample->k && status == SYN_OK; column++) {
            /* read rows `first` and on of a rank's column into this piece's rows of the sample */
            const struct syn_figures *figures = sample->figures;
            const size_t rank = column * figures->rank_count / sample->k;
            struct syn_series series =
                syn_group_series_of_column(figures->group, &figures->rank[rank].rank->local_ns);
            series.first = first;
            series.count = sample->each;
            status =
                syn_series_values(&series, sample->x + column * sample->n + piece * sample->each);
        }
    }
    return status;
}

int syn_rank_dependence(struct syn_figures *figures)
{
    figures->ranks_effective = figures->friedman_p_dependent = NAN;
    figures->kruskal_p_dependent = figures->anova_p_dependent = NAN;
    if (!isfinite(figures->friedman.chi2))
        return 0;
    size_t n = figures->rank[0].n;
    struct sample sample = {.figures = figures, .n = n, .k = figures->rank_count, .pieces = 1};
    sample.k = syn_least(sample.k, RANKS_MOST);
    size_t most = VALUES_MOST / sample.k;
    sample.each = n;
    if (n > most) {
        sample.each = PIECE;
        sample.pieces = most / PIECE;
        sample.n = sample.pieces * sample.each;
    }
    sample.x = malloc((sample.n * sample.k + 1) * sizeof *sample.x);
    int status = sample.x ? read_sample(&sample) : SYN_ENOMEM;
    if (status == SYN_OK) {
        figures->ranks_effective =
            syn_effective(sample.n, syn_long_run_of_table(sample.x, sample.n, sample.k));
    }
    if (status == SYN_OK && syn_are_enough(figures->ranks_effective)) {
        const double factor = (double)n / figures->ranks_effective;
        figures->friedman_p_dependent = syn_friedman_dependent_p(
            figures->friedman.kendall_w, figures->rank_count, figures->ranks_effective);
        figures->kruskal_p_dependent =
            syn_chi_square_p(figures->kruskal.H / factor, figures->kruskal.df);
        figures->anova_p_dependent = syn_f_p(figures->anova.F / factor, figures->anova.df1,
                                             figures->anova.df1 * (figures->ranks_effective - 1));
    }
    free(sample.x);
    return status;
}
