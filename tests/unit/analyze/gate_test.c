/* --fail-on: which words there are, what each of them lets pass, and when nothing can be told. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff.h"
#include "analyze/diff/page/diff_gate.h"
#include "made_diff.h"
#include "trace/base/ops.h"

#define ALLREDUCE SYN_OP_BLOCKING(ALLREDUCE)
#define BARRIER   SYN_OP_BLOCKING(BARRIER)
#define RUNS      10

static const struct made_group reduce = {1, ALLREDUCE, "main.c:31 solve", "MPI_COMM_WORLD", 4,
                                         8, 0};
static const struct made_group barrier = {1, BARRIER, "main.c:40 solve", "MPI_COMM_WORLD", 4, 0, 0};

/* ---- the words ---- */

Test(gate_words, each_listed_word_is_taken_and_stands_in_the_line_about_a_wrong_one)
{
    char list[] = SYN_GATE_COMPLETION, *rest = NULL;
    size_t count = 0;
    for (char *word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        struct syn_diff_gate gate;
        cr_expect_eq(syn_gate_parse(word, &gate), 0, "%s", word);
        cr_expect_eq(__builtin_popcount(gate.set), 1, "%s", word);
        if (strchr(word, '='))
            strchr(word, '=')[1] = '\0'; /* "slower=X%" */
        cr_expect_not_null(strstr(SYN_GATE_EXPECTED, word), "%s", word);
        count++;
    }
    cr_expect_eq(count, 16);
}

Test(gate_words, shares_are_kept)
{
    struct syn_diff_gate gate;
    cr_assert_eq(syn_gate_parse("run-time=5%,slower=0.01,unable=10%", &gate), 0);
    cr_expect_eq(gate.set,
                 1u << SYN_GATE_RUN_TIME | 1u << SYN_GATE_SLOWER_THAN | 1u << SYN_GATE_UNABLE);
    cr_expect_float_eq(gate.run_time, 0.05, 1e-12);
    cr_expect_float_eq(gate.slower_than, 0.01, 1e-12);
    cr_expect_float_eq(gate.unable, 0.1, 1e-12);
    cr_assert_eq(syn_gate_parse("run-time,too few runs", &gate), 0);
    cr_expect_eq(gate.set, 1u << SYN_GATE_RUN_TIME | 1u << SYN_VERDICT_TOO_FEW_RUNS);
    cr_expect(isnan(gate.run_time));
}

Test(gate_words, others_are_refused)
{
    static const char *const wrong[] = {"",        "slow",     "slower,",     "only-in",   "unable",
                                        "unable=", "slower=x", "run-time=1x", "nothing=1%"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct syn_diff_gate gate;
        cr_expect_lt(syn_gate_parse(wrong[i], &gate), 0, "\"%s\"", wrong[i]);
    }
}

/* ---- made runs ---- */

/* Runs of 100 ms that scatter by `scatter`; B's take `longer` times as long. Of each run 10 ms, and
 * B's excess, are in one group; 1 ms is in another. In turn, a second each. */
struct made {
    double scatter, longer;
    size_t runs;
    bool in_batches;
};

static double spread_of(const struct made *made, size_t run, int side)
{
    const double place =
        ((double)((run * 7 + 3 * (size_t)side) % made->runs) + 0.37 * side) / (double)made->runs;
    return 1 + made->scatter * (2 * place - 1);
}

static void set_run(struct syn_diff *diff, const struct made *made, int side, size_t r)
{
    struct syn_run_facts *run = &diff->side[side].run[r];
    const double excess = side == 1 ? made->longer - 1 : 0;
    const size_t turn = made->in_batches ? (size_t)side * made->runs + r : 2 * r + (size_t)side;
    run->run = (uint32_t)r + 1;
    run->recorded_count = 1;
    run->duration_ns = (int64_t)(1e8 * (1 + excess) * spread_of(made, r, side));
    run->start_unix_ns = (int64_t)(turn + 1) * 1000000000;
}

static struct syn_diff diff_of(const struct made *made)
{
    struct syn_diff diff = made_diff();
    for (int side = 0; side < 2; side++) {
        double value[2][RUNS];
        for (size_t r = 0; r < made->runs; r++) {
            set_run(&diff, made, side, r);
            value[0][r] = 1000 * (1 + 0.01 * spread_of(made, r, side));
            value[1][r] = 100 * (1 + 0.01 * spread_of(made, r, side));
        }
        made_diff_runs(&diff, side, &reduce, value[0], made->runs);
        made_diff_runs(&diff, side, &barrier, value[1], made->runs);
    }
    made_diff_compare(&diff);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < diff.side[side].groups.count; i++) {
            const struct syn_group *group = diff.side[side].groups.group[i];
            const size_t r = group->key[SYN_KEY_RUN] - 1;
            const double excess = side == 1 && group->op.value == ALLREDUCE ? made->longer - 1 : 0;
            diff.side[side].figures[i].inside_ns =
                (group->op.value == ALLREDUCE ? 1e7 : 1e6) * spread_of(made, r, side) +
                1e8 * excess;
        }
    cr_assert_eq(syn_diff_compare_totals(&diff), 0);
    return diff;
}

/* ---- pairs ---- */

/* Runs of 100 ms on a machine that becomes slower by half from run to run; B's take a tenth longer.
 */
static struct syn_diff while_it_slows_down(size_t runs, bool in_pairs)
{
    struct made made = {0, 1, runs, false};
    struct syn_diff diff = diff_of(&made);
    for (int side = 0; side < 2; side++)
        for (size_t r = 0; r < runs; r++)
            diff.side[side].run[r].duration_ns =
                (int64_t)(1e8 * pow(1.5, (double)r) * (side ? 1.1 + 1e-3 * (double)r : 1));
    diff.options.in_pairs = in_pairs;
    cr_assert_eq(syn_diff_compare_totals(&diff), 0);
    return diff;
}

Test(gate_pairs, what_both_runs_of_a_pair_share_hides_nothing)
{
    for (int in_pairs = 0; in_pairs < 2; in_pairs++) {
        struct syn_diff diff = while_it_slows_down(RUNS, in_pairs);
        const struct syn_diff_total *total = &diff.total[SYN_TOTAL_RUN];
        cr_expect_eq(total->by_pairs, in_pairs);
        cr_expect_eq(total->ratio.low > 1.09 && total->ratio.high < 1.12, in_pairs);
        cr_expect_eq(total->p_adjusted < 0.05, in_pairs);
        syn_diff_free(&diff);
    }
}

Test(gate_pairs, runs_are_pairs_by_their_numbers)
{
    struct syn_diff diff = while_it_slows_down(RUNS, true);
    diff.side[0].run_count--; /* A's last and B's first run have no fellow */
    for (size_t r = 0; r < RUNS; r++)
        diff.side[1].run[r].run = (uint32_t)r;
    cr_assert_eq(syn_diff_compare_totals(&diff), 0);
    cr_expect_float_eq(diff.total[SYN_TOTAL_RUN].ratio.estimate, 1.5 * 1.1, 0.02);
    cr_expect_eq(diff.total[SYN_TOTAL_RUN].test.U, 9 * 10 / 2);
    diff.side[0].run_count++;
    syn_diff_free(&diff);
}

Test(gate_pairs, too_few_pairs_are_two_samples)
{
    struct syn_diff diff = while_it_slows_down(5, true);
    cr_expect(!diff.total[SYN_TOTAL_RUN].by_pairs);
    cr_expect(!isnan(diff.total[SYN_TOTAL_RUN].ratio.low));
    syn_diff_free(&diff);
}

/* Ranks on a node of one processor: there is a warning about it. */
static void make_busy(struct syn_diff *diff, int side, size_t r, int32_t ranks)
{
    struct syn_run_facts *run = &diff->side[side].run[r];
    run->rank = calloc((size_t)ranks, sizeof *run->rank);
    run->rank_count = ranks;
    for (int32_t rank = 0; rank < ranks; rank++)
        run->rank[rank] = (struct syn_rank_facts){
            .present = true,
            .recorded = true,
            .processor_count = 1,
            .load_average = NAN,
            .node = syn_names_id(&diff->side[side].names, side == 0 ? "north" : "south")};
}

/* ---- what is judged ---- */

struct said {
    char sentences[4096];
    size_t count;
};

static void keep_words(void *ctx, const char *sentence)
{
    struct said *said = ctx;
    const size_t used = strlen(said->sentences);
    snprintf(said->sentences + used, sizeof said->sentences - used, "%s\n", sentence);
    said->count++;
}

static void keep(void *ctx, struct syn_text *words)
{
    keep_words(ctx, syn_text_chars(words));
}

static bool passes(const struct syn_diff *diff, const char *list, struct said *said)
{
    struct syn_diff_gate gate;
    struct syn_checks checks;
    bool does;
    *said = (struct said){.count = 0};
    cr_assert_eq(syn_gate_parse(list, &gate), 0);
    cr_assert_eq(syn_gate_judge(diff, &gate, &checks, &does), 0);
    for (size_t i = 0; i < checks.count; i++)
        keep_words(said, checks.check[i].message);
    syn_checks_free(&checks);
    return does;
}

#define PASSES(list)                                                   \
    do {                                                               \
        struct said heard;                                             \
        cr_expect(passes(&diff, list, &heard), "%s", heard.sentences); \
    } while (0)
#define FAILS(list, words)                                                         \
    do {                                                                           \
        struct said heard;                                                         \
        cr_expect(!passes(&diff, list, &heard), "%s: %s", list, heard.sentences);  \
        cr_expect_not_null(strstr(heard.sentences, words), "%s", heard.sentences); \
    } while (0)

Test(gate_run_time, fails_where_the_run_is_longer_by_more_for_certain)
{
    struct syn_diff diff = diff_of(&(struct made){0.02, 1.1, RUNS, false});
    FAILS("run-time", "longer by more than 2.0 % for certain"); /* the threshold */
    FAILS("run-time=5%", "longer by more than 5.0 % for certain");
    PASSES("run-time=9.9%"); /* perhaps, but not for certain */
    PASSES("unable=10%");
    syn_diff_free(&diff);
}

Test(gate_run_time, lets_equal_programs_pass)
{
    struct syn_diff diff = diff_of(&(struct made){0.02, 1, RUNS, false});
    PASSES("run-time,slower=1%,unable=10%,slower");
    PASSES("run-time=0");
    syn_diff_free(&diff);
}

Test(gate_run_time, says_where_too_few_runs_can_tell)
{
    struct syn_diff diff = diff_of(&(struct made){0.02, 1.1, 3, false});
    FAILS("run-time", "too few runs to tell: 3 against 3");
    FAILS("unable=50%", "too few runs");
    syn_diff_free(&diff);
}

Test(gate_unable, fails_where_the_runs_scatter_too_much)
{
    struct syn_diff diff = diff_of(&(struct made){0.2, 1, RUNS, false});
    PASSES("run-time");
    FAILS("run-time,unable=10%", "could not have shown an increase of 10.0 %");
    PASSES("run-time,unable=40%");
    FAILS("run-time,unable=14%", "the least that they show is 15.7 %"); /* above the limit of 2 % */
    PASSES("unable=14%");
    syn_diff_free(&diff);
}

Test(gate_unable, what_was_shown_could_be_shown)
{
    struct syn_diff diff = diff_of(&(struct made){0.2, 2, RUNS, false});
    struct said said;
    cr_expect(!passes(&diff, "run-time,unable=10%", &said));
    cr_expect_null(strstr(said.sentences, "could not"), "%s", said.sentences);
    syn_diff_free(&diff);
}

/* The group takes twice as long, which is a tenth of the run; the other one does not change. */
Test(gate_slower, is_a_share_of_the_run)
{
    struct syn_diff diff = diff_of(&(struct made){0.02, 1.1, RUNS, false});
    struct said said;
    cr_expect(!passes(&diff, "slower=5%", &said));
    cr_expect_eq(said.count, 1);
    cr_expect_not_null(strstr(said.sentences, "MPI_Allreduce 8 B at main.c:31 solve takes 10"),
                       "%s", said.sentences);
    PASSES("slower=11%");
    syn_diff_free(&diff);
}

Test(gate_slower, a_change_within_the_scatter_is_no_claim)
{
    struct syn_diff diff = diff_of(&(struct made){0.2, 1.001, RUNS, false});
    PASSES("slower=0%");
    syn_diff_free(&diff);
}

/* ---- the machine ---- */

Test(gate_machine, a_busy_machine_says_nothing_of_two_batches)
{
    struct syn_diff diff = diff_of(&(struct made){0.02, 1, RUNS, true});
    cr_expect(!syn_diff_in_turn(&diff));
    PASSES("run-time");
    make_busy(&diff, 1, 3, 2);
    FAILS("run-time", "the machine was busy in 0 of 10 runs of A and 1 of 10 of B");
    FAILS("slower", "cannot tell");
    PASSES("only-in-a"); /* rests on no time */
    struct said said;
    cr_expect(!passes(&diff, "run-time=0,slower=0,unable=0", &said));
    cr_expect_eq(said.count, 1, "%s", said.sentences); /* and nothing for certain beside it */
    syn_diff_free(&diff);
}

Test(gate_machine, is_the_same_for_runs_in_turn)
{
    struct syn_diff diff = diff_of(&(struct made){0.02, 1, RUNS, false});
    cr_expect(syn_diff_in_turn(&diff));
    make_busy(&diff, 0, 0, 2);
    make_busy(&diff, 1, 3, 2);
    cr_expect_eq(syn_diff_busy_runs(&diff, 1), 1);
    PASSES("run-time,slower");
    syn_diff_free(&diff);
}

Test(gate_machine, another_processor_is_another_machine)
{
    struct syn_diff diff = diff_of(&(struct made){0.02, 1, RUNS, true});
    struct syn_text words = {0};
    for (size_t r = 0; r < RUNS; r++) {
        diff.side[0].run[r].processor = strdup("Old 3000");
        diff.side[1].run[r].processor = strdup(r % 2 ? "New 4000" : "Old 3000");
        diff.side[1].run[r].kernel = strdup("Linux 6.1");
    }
    make_busy(&diff, 0, 0, 2);
    make_busy(&diff, 1, 0, 2);
    FAILS("run-time", "processor Old 3000 in A, New 4000, Old 3000 in B");
    syn_diff_machine_differences(&diff, &words);
    cr_expect_str_eq(syn_text_chars(&words), "The machines differ: host north in A, south in B; "
                                             "processor Old 3000 in A, New 4000, Old 3000 in B.");
    syn_text_free(&words);
    syn_diff_free(&diff);
}

/* All ranks of a run are blocked for a share of its time: the program waits for something. */
static void make_blocked(struct syn_diff *diff, int side, size_t r, double share)
{
    enum { RANKS = 2 };
    struct syn_run_facts *run = &diff->side[side].run[r];
    struct syn_own_times *own = &run->findings.own;
    run->findings.run_ns = run->duration_ns;
    *own = (struct syn_own_times){
        .rank = calloc(RANKS, sizeof *own->rank), .rank_count = RANKS, .present_count = RANKS};
    for (int rank = 0; rank < RANKS; rank++) {
        own->rank[rank].is_present = true;
        own->rank[rank].blocked_ns = share * (double)run->duration_ns;
        run->causes.sums.location_count++;
        own->sum.blocked_ns += own->rank[rank].blocked_ns;
    }
}

Test(gate_machine, is_not_busy_where_the_program_is_blocked)
{
    struct syn_diff diff = diff_of(&(struct made){0.02, 1, RUNS, true});
    for (size_t r = 0; r < RUNS; r++)
        make_blocked(&diff, 0, r, 0.5);
    cr_expect_eq(syn_diff_busy_runs(&diff, 0), 0);
    PASSES("run-time");
    syn_diff_free(&diff);
}

/* Two of ten runs have more ranks than processors: three to one, and two to one. */
Test(gate_machine, the_worst_run_is_named)
{
    struct syn_diff diff = diff_of(&(struct made){0.02, 1, RUNS, true});
    struct said said = {.count = 0};
    make_busy(&diff, 1, 3, 2);
    make_busy(&diff, 1, 5, 3);
    syn_diff_machine_warnings(&diff, keep, &said);
    cr_expect_eq(said.count, 1);
    cr_expect_not_null(strstr(said.sentences, "In run 6 of B (the worst of 2 such runs), 3 ranks"),
                       "%s", said.sentences);
    syn_diff_free(&diff);
}

Test(gate_machine, the_most_blocked_run_is_named)
{
    struct syn_diff diff = diff_of(&(struct made){0.02, 1, RUNS, true});
    struct said said = {.count = 0};
    for (size_t r = 0; r < RUNS; r++)
        make_blocked(&diff, 1, r, r == 4 ? 0.7 : 0.1 + 0.01 * (double)r);
    syn_diff_machine_warnings(&diff, keep, &said);
    cr_expect_eq(said.count, 1);
    cr_expect_not_null(strstr(said.sentences, "In run 5 of B (the worst of 10 such runs), outside "
                                              "of MPI ranks are blocked for 70.0 %"),
                       "%s", said.sentences);
    syn_diff_free(&diff);
}
