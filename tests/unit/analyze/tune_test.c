/* `syncopate tune` without a launch: what MPIs say of their algorithms, halving, promises
 * against R, verdicts, and Open MPI's rules. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/tune/tune.h"
#include "trace/base/ops.h"

/* ---- what an MPI says ---- */

static const char *const open_mpi =
    "N\t4\nM\tOpen MPI v4.1.4\nH\ta\nH\ta\nH\tb\nH\tb\n"
    "V\tcoll_tuned_use_dynamic_rules\t0\t0\tSwitch\t0=false,1=true\n"
    "V\tcoll_tuned_bcast_algorithm\t3\t1\tWhich\t0=ignore,1=basic_linear,2=chain,3=pipeline\n"
    "V\tcoll_tuned_bcast_algorithm_segmentsize\t0\t1\tSegment size in bytes\t\n"
    "V\tcoll_tuned_allgatherv_algorithm\t0\t0\tWhich\t0=ignore,1=default\n";

/* As MPICH 4.0.2 tells it: sentences end in the next word. */
static const char *const bcast =
    "Variable to select bcast algorithmauto - Internal algorithm selection (can be overridden with "
    "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)binomial                                - Force "
    "Binomial Treenb                                      - Force nonblocking algorithmsmp         "
    "                            - Force smp algorithmscatter_recursive_doubling_allgather    - "
    "Force Scatter Recursive-Doubling Allgatherscatter_ring_allgather                  - Force "
    "Scatter Ring";
static const char *const posix =
    "Variable to select algorithm for intra-node bcastmpir           - Fallback to MPIR "
    "collectivesrelease_gather - Force shm optimized algo using release, gather primitivesauto - "
    "Internal algorithm selection";

static struct tune_offers offers_of(const char *answer)
{
    struct tune_offers offers;
    cr_assert_eq(tune_offers_read(strdup(answer), &offers), 0);
    return offers;
}

static void expect_values(const char *words, const char *op, const char *const *name, size_t count)
{
    struct tune_value value[16];
    const struct tune_variable variable = {.words = words, .list = ""};
    cr_assert_eq(tune_values(&variable, op, value, 16), count);
    for (size_t i = 0; i < count; i++) {
        cr_expect_str_eq(value[i].name, name[i]);
        cr_expect_eq(value[i].number, (int)i);
    }
}

Test(tune_offers, values_are_the_words_before_the_dashes_of_a_description)
{
    expect_values(bcast, "bcast",
                  (const char *const[]){"auto", "binomial", "nb", "smp",
                                        "scatter_recursive_doubling_allgather",
                                        "scatter_ring_allgather"},
                  6);
    expect_values(posix, "bcast", (const char *const[]){"mpir", "release_gather", "auto"}, 3);
    expect_values("Chosen:\vauto - own\vring - Force ring\vtwo_level - Force\v", "scan",
                  (const char *const[]){"auto", "ring", "two_level"}, 3);
    expect_values("no dash in here", "scan", NULL, 0);
}

Test(tune_offers, candidates_are_all_listed_values_but_what_is_in_force)
{
    struct tune_offers offers = offers_of(open_mpi);
    static const struct tune_group group = {.bytes = 8193};
    static struct tune_item item = {.group = &group, .op = "bcast"};
    struct tune_candidate *candidate = item.candidate;
    cr_expect_eq(offers.rank_count, 4);
    cr_expect_eq(offers.host_count, 4);
    cr_expect_str_eq(offers.host[3], "b");
    cr_expect_null(tune_candidates(&offers, &item));
    cr_assert_eq(item.count, 4); /* without dynamic rules pipeline is not in force */
    cr_expect_str_eq(candidate[0].set, "coll_tuned_bcast_algorithm=0");
    cr_expect_str_eq(candidate[1].label, "basic_linear");
    cr_expect_str_eq(candidate[3].environment,
                     "OMPI_MCA_" TUNE_RULES "=1\nOMPI_MCA_coll_tuned_bcast_algorithm=3");
    candidate[1].state = candidate[2].state = TUNE_OUT;
    tune_add_segments(&offers, &item);
    cr_assert_eq(item.count, 6);
    cr_expect_str_eq(candidate[5].label, "pipeline, segments of 8 KiB");
    cr_expect_str_eq(candidate[5].set, "coll_tuned_bcast_algorithm=3,"
                                       "coll_tuned_bcast_algorithm_segmentsize=8192");
    item = (struct tune_item){.op = "allgatherv"};
    cr_expect_str_eq(tune_candidates(&offers, &item), "coll_tuned_allgatherv_algorithm");
    cr_expect_eq(item.count, 0);
    tune_offers_free(&offers);
}

Test(tune_offers, a_setting_that_is_in_force_is_now_and_the_own_choice_a_candidate)
{
    char answer[1024];
    static const struct tune_group group = {.bytes = 8193};
    static struct tune_item item = {.group = &group, .op = "bcast"};
    struct tune_candidate *candidate = item.candidate;
    snprintf(answer, sizeof answer, "V\tMPIR_CVAR_BCAST_INTRA_ALGORITHM\t5\t1\t%s\t\n", bcast);
    struct tune_offers offers = offers_of(answer);
    tune_candidates(&offers, &item);
    cr_assert_eq(item.count, 6);
    cr_expect_str_eq(candidate[0].set, "MPIR_CVAR_BCAST_INTRA_ALGORITHM=5");
    cr_expect_str_eq(candidate[1].environment, "MPIR_CVAR_BCAST_INTRA_ALGORITHM=auto");
    cr_expect_str_eq(candidate[2].set, "MPIR_CVAR_BCAST_INTRA_ALGORITHM=1");
    tune_offers_free(&offers);
}

Test(tune_offers, a_rules_file_in_force_is_left_by_each_candidate)
{
    char answer[1024];
    static const struct tune_group group = {.bytes = 8193};
    static struct tune_item item = {.group = &group, .op = "bcast"};
    struct tune_candidate *candidate = item.candidate;
    snprintf(answer, sizeof answer,
             "V\t" TUNE_RULES "\t1\t0\tSwitch\t0=false,1=true\nV\t" TUNE_RULES_FILE
             "\tplant\t0\tFile\t\n"
             "V\tcoll_tuned_bcast_algorithm\t0\t1\tWhich\t0=ignore,1=basic_linear\n");
    struct tune_offers offers = offers_of(answer);
    cr_expect(tune_offers_have_rules(&offers));
    tune_candidates(&offers, &item);
    cr_assert_eq(item.count, 3); /* the MPI's own choice is another than the file's */
    cr_expect_str_eq(candidate[1].label, "the MPI's own choice");
    cr_expect_str_eq(candidate[2].environment,
                     "OMPI_MCA_" TUNE_RULES "=1\nOMPI_MCA_" TUNE_RULES_FILE
                     "=/dev/null\nOMPI_MCA_coll_tuned_bcast_algorithm=1");
    tune_offers_free(&offers);
}

/* ---- halving ---- */

Test(tune_halve, keeps_what_is_near_the_best_and_no_more_than_asked)
{
    static struct tune_item item = {.count = 6,
                                    .candidate = {{.median_ns = 500},
                                                  {.median_ns = 100},
                                                  {.median_ns = 115},
                                                  {.median_ns = 121},
                                                  {.median_ns = NAN},
                                                  {.median_ns = 110}}};
    const struct tune_candidate *candidate = item.candidate;
    tune_halve(&item, 3);
    const enum tune_state want[] = {TUNE_IN, TUNE_IN, TUNE_IN, TUNE_OUT, TUNE_OUT, TUNE_IN};
    for (size_t i = 0; i < 6; i++)
        cr_expect_eq(candidate[i].state, want[i], "%zu", i);
    tune_halve(&item, 1);
    cr_expect_eq(candidate[1].state, TUNE_IN);
    cr_expect_eq(candidate[5].state, TUNE_OUT);
}

/* ---- promises ---- */

static const double with[] = {52, 50, 47, 58, 60, 45}, now[] = {100, 110, 95, 105, 120, 98};

static void set_times(struct tune_candidate *candidate, int launch, double log_ns)
{
    for (int time = 0; time < TUNE_TIMES; time++)
        candidate->log_ns[time][launch] = log_ns;
}

static struct tune_promise promise(size_t n, double program_ns)
{
    static struct tune_candidate of_now, of_with;
    for (size_t i = 0; i < TUNE_LAUNCHES; i++) {
        set_times(&of_now, (int)i, i < n ? log(now[i]) : NAN);
        set_times(&of_with, (int)i, i < 6 ? log(with[i]) : NAN);
    }
    return tune_promise_of(&of_now, &of_with, program_ns);
}

#define EXPECT_NEAR(got, want) cr_expect_float_eq(got, want, 1e-9, "%.12g", got)

/* R: t.test(log(with) - log(now)); within range(with / now): ratio *
 * exp(c(-1, 1) * qt(.975, 5) * sd(pairs) * sqrt(1 / 6 + 1 / 6)); then * ratio ^ c(.15, -.15). */
Test(tune_promise, intervals_are_those_of_r)
{
    const struct tune_promise got = promise(6, NAN);
    cr_expect_eq(got.n, 6);
    EXPECT_NEAR(got.ratio, 0.49566890546653);
    EXPECT_NEAR(got.mean_low, 0.45858206261505);
    EXPECT_NEAR(got.p, 2.7692179428672e-06);
    EXPECT_NEAR(got.low, 0.40912504914745);
    EXPECT_NEAR(got.high, 0.61370539791065);
    EXPECT_NEAR(got.now_low_ns, 95);
    EXPECT_NEAR(got.now_high_ns, 120);
}

Test(tune_promise, time_of_the_program_that_the_benchmark_lacks_may_stay_or_go)
{
    const struct tune_promise got = promise(6, 200);
    EXPECT_NEAR(got.low, 0.24547502948847);
    EXPECT_NEAR(got.high, 0.81263059585410);
}

Test(tune_promise, is_wider_where_the_program_is_faster_than_the_benchmark)
{
    const struct tune_promise got = promise(6, 60);
    EXPECT_NEAR(got.low, 0.25839476788260);
    EXPECT_NEAR(got.high, 0.97170021335852);
}

Test(tune_promise, fewer_launches_than_five_promise_nothing)
{
    cr_expect_not(isnan(promise(5, NAN).ratio));
    const struct tune_promise got = promise(4, NAN);
    cr_expect_eq(got.n, 4);
    cr_expect(isnan(got.ratio) && isnan(got.low) && isnan(got.p));
}

/* ---- launches that are drawn ---- */

/* A normal deviate, nearly: the sum of twelve uniform ones. */
static double draw(struct syn_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += syn_random_unit(random);
    return sum;
}

/* The benchmark's launches and the program's runs err by the same 5 %. */
Test(tune_promise, covers_the_result_of_as_many_runs)
{
    struct syn_random random;
    int covered = 0;
    syn_random_seed(&random, 1);
    for (int i = 0; i < 2000; i++) {
        static struct tune_candidate of_now, of_with;
        double result = log(0.7);
        for (int k = 0; k < TUNE_LAUNCHES; k++) {
            set_times(&of_now, k, k < 6 ? log(1000) + 0.05 * draw(&random) : NAN);
            set_times(&of_with, k, k < 6 ? log(700) + 0.05 * draw(&random) : NAN);
            result += k < 6 ? 0.05 * (draw(&random) - draw(&random)) / 6 : 0;
        }
        const struct tune_promise got = tune_promise_of(&of_now, &of_with, NAN);
        covered += got.low <= exp(result) && exp(result) <= got.high;
    }
    cr_expect_geq(covered, 1900, "%d", covered);
}

/* 200 sessions of twelve groups with three candidates that do the same: 5 % of the sessions may
 * have advice. */
Test(tune_judge, twelve_equal_groups_get_at_most_one_advice)
{
    struct tune_group group[12];
    static struct tune_item item[12];
    struct syn_random random;
    int with_advice = 0, with_more = 0;
    syn_random_seed(&random, 1);
    for (int s = 0; s < 200; s++) {
        struct tune_trace trace = {.group = group, .count = 12, .run_count = 1, .run_ns = 1e9};
        struct tune_session session = {.trace = &trace, .item = item, .count = 12};
        for (int i = 0; i < 12; i++) {
            group[i] = (struct tune_group){.op = (uint16_t)i,
                                           .comm_size = 4,
                                           .bytes = 64,
                                           .operation_ns = 8e7,
                                           .median_ns = 1000};
            item[i] = (struct tune_item){.group = &group[i], .count = 4};
            item[i].op[0] = (char)('a' + i);
            for (int k = 0; k < 4; k++) {
                snprintf(item[i].candidate[k].environment, TUNE_SET_BYTES, "A=%d", k);
                for (int launch = 0; launch < TUNE_LAUNCHES; launch++)
                    set_times(&item[i].candidate[k], launch,
                              launch < 6 ? log(1000) + 0.05 * draw(&random) : NAN);
            }
        }
        cr_assert_eq(tune_judge(&session), 0);
        const struct tune_item *first = tune_next_advised(&session, NULL);
        with_advice += first != NULL;
        with_more += first && tune_next_advised(&session, first);
    }
    cr_expect_leq(with_advice, 18, "%d", with_advice);
    cr_expect_eq(with_more, 0, "%d", with_more);
}

/* ---- verdicts and rules ---- */

/* A session of two sizes of one operation: times of the launches as factors of now. */
struct made {
    struct tune_group group[2];
    struct tune_trace trace;
    struct tune_item item[2];
    struct tune_session session;
};

static void make(struct made *made, double first, double second)
{
    static struct tune_variable variable = {TUNE_RULES, "0", "", "", false};
    const double factor[2][3] = {{1, first, 1.1}, {1, second, 1.02}};
    *made =
        (struct made){.trace = {.group = made->group, .count = 2, .run_count = 1, .run_ns = 1e9},
                      .session = {.item = made->item, .count = 2}};
    for (int i = 0; i < 2; i++) {
        made->group[i] = (struct tune_group){.op = SYN_ROW_BCAST,
                                             .comm_size = 4,
                                             .bytes = i ? 4096 : 64,
                                             .operation_ns = 4e8,
                                             .median_ns = 1000};
        made->item[i] = (struct tune_item){.group = &made->group[i], .op = "bcast", .count = 3};
        for (int k = 0; k < 3; k++) {
            struct tune_candidate *candidate = &made->item[i].candidate[k];
            candidate->algorithm = k;
            candidate->segment = 1024 * i;
            snprintf(candidate->environment, TUNE_SET_BYTES, "A=1\nB=%d", k);
            for (int launch = 0; launch < TUNE_LAUNCHES; launch++)
                set_times(candidate, launch,
                          launch < 6 ? log(1000 * factor[i][k]) + 0.01 * ((launch * (k + 2)) % 3)
                                     : NAN);
        }
    }
    made->session.trace = &made->trace;
    made->session.offers = (struct tune_offers){.variable = &variable, .count = 1};
}

Test(tune_judge, tells_better_from_nothing_to_gain)
{
    struct made made;
    struct syn_text settings = {0};
    make(&made, 0.5, 1.0);
    cr_assert_eq(tune_judge(&made.session), 0);
    cr_expect_eq(made.item[0].verdict, TUNE_BETTER);
    cr_expect_eq(made.item[0].best, 1);
    cr_expect_eq(made.item[1].verdict, TUNE_NOTHING);
    tune_shell_settings(&made.session, &settings);
    cr_expect_str_eq(syn_text_chars(&settings), " A=1 B=1");
    syn_text_free(&settings);
}

/* It is not known whether that stays by which the program takes longer than the benchmark. */
Test(tune_judge, gives_no_advice_where_hardly_any_of_the_gain_is_certain)
{
    struct made made;
    make(&made, 0.5, 0.5);
    made.group[0].median_ns = 1500;
    made.group[1].median_ns = 10000;
    cr_assert_eq(tune_judge(&made.session), 0);
    cr_expect_eq(made.item[0].verdict, TUNE_BETTER);
    cr_expect_neq(made.item[1].verdict, TUNE_BETTER);
    cr_expect(made.item[1].why);
}

/* Calls in a row take 10 ns, with either setting. */
Test(tune_judge, calls_in_a_row_count_where_the_program_makes_such)
{
    struct made made;
    make(&made, 0.5, 0.5);
    made.group[1].median_ns = 10;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            for (int launch = 0; launch < 6; launch++)
                made.item[i].candidate[k].log_ns[TUNE_ROW][launch] =
                    log(10) + 0.01 * ((launch * (k + 2)) % 3);
    cr_assert_eq(tune_judge(&made.session), 0);
    cr_expect_eq(made.item[0].verdict, TUNE_BETTER);
    cr_expect_neq(made.item[1].verdict, TUNE_BETTER);
    cr_expect_float_eq(made.item[0].candidate[1].promise.now_low_ns, 1000, 20);
    cr_expect_float_eq(made.item[1].candidate[1].promise.now_low_ns, 10, 1);
}

/* The launches differ by a few percent, and the candidates by nothing but that. */
Test(tune_judge, equal_candidates_get_no_advice)
{
    struct made made;
    struct syn_text settings = {0};
    make(&made, 1.0, 1.0);
    cr_assert_eq(tune_judge(&made.session), 0);
    cr_expect_null(tune_next_advised(&made.session, NULL));
    cr_expect_eq(made.item[0].verdict, TUNE_NOTHING);
    tune_shell_settings(&made.session, &settings);
    cr_expect_str_eq(syn_text_chars(&settings), "");
    syn_text_free(&settings);
}

Test(tune_page, few_instances_have_no_interval)
{
    const struct syn_terminal terminal = {.width = 200};
    struct made made;
    struct syn_text text = {0};
    make(&made, 0.5, 1.0);
    made.group[0].instance_count = 5;
    made.group[1].instance_count = 6;
    cr_assert_eq(tune_judge(&made.session), 0);
    struct syn_doc doc = syn_doc_start(SYN_DOC_TEXT, &terminal);
    tune_page(&doc, &made.session, NULL);
    syn_doc_write(&doc, &text);
    const char *few = strstr(syn_text_chars(&text), "  too few  ");
    cr_assert_not_null(few, "%s", syn_text_chars(&text));
    cr_expect_null(strstr(few + 1, "  too few  "));
    cr_expect_not_null(strstr(few, " Too few: less than 6 instances in the trace."));
    syn_doc_free(&doc);
    syn_text_free(&text);
}

Test(tune_settings, are_words_of_a_shell)
{
    struct made made;
    struct syn_text settings = {0};
    make(&made, 0.5, 1.0);
    made.session.rules_path = "it's.rules";
    made.session.by_rules = true;
    cr_assert_eq(tune_judge(&made.session), 0);
    tune_shell_settings(&made.session, &settings);
    cr_expect_str_eq(syn_text_chars(&settings),
                     " OMPI_MCA_" TUNE_RULES_FILE "='it'\\''s.rules'"
                     " OMPI_MCA_coll_tuned_bcast_algorithm=0 OMPI_MCA_" TUNE_RULES "=1");
    syn_text_free(&settings);
}

/* The second size would lose by the first's value, less than the first gains. */
Test(tune_judge, one_variable_for_two_sizes_goes_to_the_larger_gain)
{
    struct made made;
    make(&made, 0.5, 1.2);
    for (int launch = 0; launch < 6; launch++)
        made.item[1].candidate[2].log_ns[TUNE_FRESH][launch] = log(800) + 0.001 * (launch % 2);
    cr_assert_eq(tune_judge(&made.session), 0);
    cr_expect_eq(made.item[0].verdict, TUNE_BETTER);
    cr_expect_neq(made.item[1].verdict, TUNE_BETTER);
}

/* Two sizes of MPI_Bcast on 4 ranks are advised; these rules are in force. */
static void expect_rules(const char *in_force, const char *want)
{
    struct made made;
    struct syn_text rules = {0};
    char path[] = "/tmp/tune-rules-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    cr_assert(file && fputs(in_force, file) >= 0 && fclose(file) == 0);
    struct tune_variable variable[] = {{TUNE_RULES, in_force[0] ? "1" : "0", "", "", false},
                                       {TUNE_RULES_FILE, path, "", "", false}};
    make(&made, 0.5, 0.5);
    made.session.rules_path = "settings.rules";
    made.session.by_rules = true;
    made.session.offers = (struct tune_offers){.variable = variable, .count = 2};
    cr_assert_eq(tune_judge(&made.session), 0);
    cr_expect_eq(tune_write_rules(&made.session, &rules), in_force[0] != 'x');
    cr_expect_str_eq(syn_text_chars(&rules), want);
    syn_text_free(&rules);
    unlink(path);
}

#define NONE "5 # sizes\n0 0 0 0\n64 0 0 0\n65 0 0 0\n4096 0 0 0\n4097 0 0 0\n"
#define ALONE_7                                                           \
    " # operations\n7 # the operation's number\n3 # communicator sizes\n" \
    "1 # ranks\n" NONE "4 # ranks\n5 # sizes\n"                           \
    "0 0 0 0\n64 1 0 0\n65 0 0 0\n4096 1 0 1024\n4097 0 0 0\n5 # ranks\n" NONE
#define ALONE "1" ALONE_7

Test(tune_rules, hold_for_the_ranks_and_sizes_that_were_measured_alone)
{
    expect_rules("", ALONE);
}

#define FILES                                                                   \
    "6 # sizes\n0 6 0 1024\n64 6 0 1024\n65 6 0 1024\n1024 5 2 0\n4096 5 2 0\n" \
    "4097 5 2 0\n"

Test(tune_rules, that_are_in_force_stay_for_all_else)
{
    expect_rules("2 # operations\n7 # MPI_Bcast\n1\n2\n2\n0 6 0 1024\n1024 5 2 0\n"
                 "11\n1\n 8 # ranks\n1\n0 4 0 1024\n",
                 "2 # operations\n7 # the operation's number\n4 # communicator sizes\n"
                 "1 # ranks\n" FILES "2 # ranks\n" FILES "4 # ranks\n6 # sizes\n"
                 "0 6 0 1024\n64 1 0 0\n65 6 0 1024\n1024 5 2 0\n4096 1 0 1024\n4097 5 2 0\n"
                 "5 # ranks\n" FILES "11 # the operation's number\n2 # communicator sizes\n"
                 "1 # ranks\n1 # sizes\n0 4 0 1024\n8 # ranks\n1 # sizes\n0 4 0 1024\n");
}

Test(tune_rules, that_begin_at_no_ranks_stay)
{
    expect_rules("1\n11\n1\n0\n1\n0 4 0 1024\n",
                 "2" ALONE_7 "11 # the operation's number\n1 # communicator sizes\n"
                 "1 # ranks\n1 # sizes\n0 4 0 1024\n");
}

Test(tune_rules, that_cannot_be_read_are_told)
{
    expect_rules("x", ALONE);
}
