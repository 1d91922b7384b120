/* Sentences of the report, and figures that they rest on: of several runs, of the typical one, of
 * ranks that were left out. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/sections/causes_words.h"
#include "analyze/report/sections/report_html.h"
#include "analyze/report/sections/report_page.h"
#include "analyze/stats/series/waves.h"

#define RUNS  3
#define RANKS 4

/* Runs 1, 2 and 3 of 1 s, 200 ms and 200 ms: run 2 is the typical one. All is well with each. */
struct made {
    struct syn_rank_facts rank[RUNS][RANKS];
    struct syn_rank_totals totals[RUNS][RANKS];
    struct syn_own_time own[RUNS][RANKS];
    struct syn_kernel_counters counters[RUNS][RANKS];
    struct syn_cause_location location[RANKS];
    uint32_t first_location[RANKS + 1];
    struct syn_run_facts run[RUNS];
    struct syn_report report;
    struct syn_text text;
};

static struct made made;

static void make_run(size_t r, int64_t duration_ns)
{
    struct syn_run_facts *run = &made.run[r];
    *run = (struct syn_run_facts){.run = (uint32_t)r + 1,
                                  .rank_count = RANKS,
                                  .present_count = RANKS,
                                  .recorded_count = RANKS,
                                  .rank = made.rank[r],
                                  .duration_ns = duration_ns,
                                  .has_messages = true,
                                  .totals = {.rank = made.totals[r], .rank_count = RANKS}};
    const struct syn_estimate whole = {(double)duration_ns, NAN, NAN};
    run->findings.run_ns = duration_ns;
    run->findings.what_if = (struct syn_what_if){whole, whole, whole};
    run->findings.own =
        (struct syn_own_times){.rank = made.own[r], .rank_count = RANKS, .present_count = RANKS};
    run->causes.plan = (struct syn_cause_plan){.location = made.location,
                                               .location_count = RANKS,
                                               .first_location = made.first_location,
                                               .rank_count = RANKS};
    run->causes.counters = made.counters[r];
    for (int i = 0; i < RANKS; i++) {
        made.rank[r][i] = (struct syn_rank_facts){.present = true,
                                                  .recorded = true,
                                                  .node = SYN_NO_NAME,
                                                  .load_average = NAN,
                                                  .instance_count = 100,
                                                  .expected_last = 25,
                                                  .last_count = 25,
                                                  .last_p = 1};
        made.totals[r][i] = (struct syn_rank_totals){.thread_count = 1, .event_count = 100};
        made.own[r][i].is_present = true;
    }
}

static void begin(void)
{
    made = (struct made){.report = {.run = made.run,
                                    .run_count = RUNS,
                                    .options = {.confidence = 0.95, .by = SYN_BY_DEFAULT}}};
    for (int i = 0; i < RANKS; i++) {
        made.location[i].rank = i;
        made.first_location[i + 1] = (uint32_t)i + 1;
    }
    make_run(0, 1000000000);
    make_run(1, 200000000);
    make_run(2, 200000000);
}

static void end(void)
{
    syn_text_free(&made.text);
    syn_names_free(&made.report.names);
}

/* All that is said becomes made.text. */
static struct syn_doc start(enum syn_doc_format format)
{
    static const struct syn_terminal terminal = {.width = 2000};
    return syn_doc_start(format, &terminal);
}

static void finish(struct syn_doc *doc)
{
    syn_text_clear(&made.text);
    syn_doc_write(doc, &made.text);
    syn_doc_free(doc);
}

#define SAYS(words)     cr_expect_not_null(strstr(said(), words), "%s", said())
#define SAYS_NOT(words) cr_expect_null(strstr(said(), words), "%s", said())
static const char *said(void)
{
    return syn_text_chars(&made.text);
}

/* ---- can it be relied on? ---- */

static enum syn_reliance reliance(void)
{
    syn_text_clear(&made.text);
    return syn_report_reliance(&made.report, &made.text);
}

/* All ranks of a run had no processor for a share of their time. */
static void lose_processors(size_t run, double share)
{
    for (int i = 0; i < RANKS; i++) {
        struct syn_kernel_counters *counters = &made.counters[run][i];
        counters->known[SYN_KERNEL_RUN_DELAY] = true;
        counters->first[SYN_KERNEL_RUN_DELAY] = (struct syn_sample){.time = 0};
        counters->last[SYN_KERNEL_RUN_DELAY] = (struct syn_sample){
            .time = 1000000, .run_delay_ns = (uint64_t)(1e6 * share), .cpu_ns = 0};
    }
}

static void crowd(size_t run)
{
    for (int i = 0; i < RANKS; i++) {
        made.rank[run][i].node = syn_names_id(&made.report.names, "north");
        made.rank[run][i].processor_count = 1;
    }
}

TestSuite(reliance, .init = begin, .fini = end);

Test(reliance, is_full_where_each_run_is_whole)
{
    cr_expect_eq(reliance(), SYN_RELIANCE_FULL);
    SAYS("Reliable: all ranks recorded; the recorder took");
    SAYS_NOT("each with a processor"); /* nobody counted */
    for (size_t r = 0; r < RUNS; r++)
        lose_processors(r, 0.001);
    cr_expect_eq(reliance(), SYN_RELIANCE_FULL);
    SAYS("each with a processor");
}

/* An item of *Why* says that rank 2 of one run had no processor for 3 % of its time. The mean of
 * the ranks is small. */
Test(reliance, ranks_do_not_all_have_a_processor_where_why_names_one_without)
{
    lose_processors(1, 0.001);
    made.counters[1][2].last[SYN_KERNEL_RUN_DELAY].run_delay_ns = 30000;
    cr_expect_eq(reliance(), SYN_RELIANCE_FULL);
    SAYS_NOT("each with a processor");
}

/* Each message of the runs is an event: the report tells of waiting. */
static void know_waiting(void)
{
    made.run[0].messages.recorded = SYN_MESSAGES_EVENTS;
    for (int i = 0; i < RUNS * RANKS; i++)
        made.own[i / RANKS][i % RANKS].messages_ns += 1;
}

/* 2 % of the run are more than any saving. A page that is not reliable names none, nor one whose
 * waiting was not recorded. */
Test(reliance, the_recorder_is_no_doubt_beside_larger_ones)
{
    made.run[1].overhead_ns = 4e6;
    cr_expect_eq(reliance(), SYN_RELIANCE_FULL);
    know_waiting();
    cr_expect_eq(reliance(), SYN_RELIANCE_CARE);
    SAYS("the recorder took 2.0 %");
    lose_processors(0, 0.5);
    cr_expect_eq(reliance(), SYN_RELIANCE_NONE);
    SAYS_NOT("the recorder");
}

/* Messages that were summed up: a tenth of the run counts. */
Test(reliance, messages_whose_waiting_is_unseen_count)
{
    made.run[1].messages.recorded = SYN_MESSAGES_SUMS;
    for (int i = 0; i < RANKS; i++)
        made.own[1][i].messages_ns = 0.09 * 2e8;
    cr_expect_eq(reliance(), SYN_RELIANCE_FULL);
    for (int i = 0; i < RANKS; i++)
        made.own[1][i].messages_ns = 0.3 * 2e8;
    cr_expect_eq(reliance(), SYN_RELIANCE_CARE);
    SAYS("for whom ranks waited in messages (30.0 % of run 2) is unknown. Next: record "
         "with --messages events.");
    made.run[1].messages.recorded = SYN_MESSAGES_EVENTS;
    cr_expect_eq(reliance(), SYN_RELIANCE_FULL);
}

/* The kernel counted in one run only, be it the first or a later one. */
Test(reliance, lost_processors_of_any_run_count)
{
    for (size_t r = 0; r < RUNS; r++) {
        end();
        begin();
        lose_processors(r, 0.05);
        cr_expect_eq(reliance(), SYN_RELIANCE_CARE);
        SAYS("had no processor for 5.0 %");
    }
}

Test(reliance, a_crowd_in_any_run_counts)
{
    for (size_t r = 0; r < RUNS; r++) {
        end();
        begin();
        lose_processors((r + 1) % RUNS, 0.001);
        crowd(r);
        cr_expect_eq(reliance(), SYN_RELIANCE_CARE);
        SAYS("4 ranks share 1 processor");
    }
}

Test(reliance, each_reason_is_of_the_run_that_has_most_of_it)
{
    made.run[1].present_count = made.run[1].recorded_count = 3;
    made.run[2].recorded_count = 2;
    made.rank[2][0].dropped_count = 100; /* of 500 */
    made.run[1].duration_ns = 50000000;
    made.run[2].overhead_ns = 100000000;
    made.run[1].has_messages = false;
    cr_expect_eq(reliance(), SYN_RELIANCE_NONE);
    SAYS("1 of 4 ranks left no readable file in run 2");
    SAYS("20.0 % of the calls were lost in run 3");
    SAYS("2 of 4 ranks were not recorded in run 3 (--ranks)");
    SAYS("; run 2 is short (50.0 ms)");
    SAYS("the recorder took 33.3 % of the time at begin and end in run 3");
    SAYS("messages were not recorded");
}

/* Each rank of a run is in collectives for so long, and for so long of that in complete ones. */
static void lack_members(size_t run, double inside_ns, double complete_ns)
{
    for (int i = 0; i < RANKS; i++) {
        made.totals[run][i].inside_ns = inside_ns;
        made.rank[run][i].inside_ns = complete_ns;
    }
}

/* Runs 2 and 3 are of 200 ms. From a tenth of the time in collectives on, and from 1 % of the run.
 */
Test(reliance, calls_that_lack_members_count)
{
    lack_members(2, 1e8, 0.95e8);
    lack_members(1, 1e6, 0);
    cr_expect_eq(reliance(), SYN_RELIANCE_FULL);
    lack_members(2, 1e8, 0.7e8);
    cr_expect_eq(reliance(), SYN_RELIANCE_CARE);
    SAYS("30.0 % of the time in collectives is in calls that lack members in run 3. Next: see "
         "Warnings.");
    lack_members(1, 4e7, 1e7);
    made.run[1].present_count = made.run[1].recorded_count = 3;
    made.run[1].fault_count = 1;
    cr_expect_eq(reliance(), SYN_RELIANCE_NONE);
    SAYS("75.0 % of the time in collectives is in calls that lack members in run 2. Next: see "
         "syncopate check.");
}

Test(reliance, a_single_run_needs_no_number)
{
    made.report.run_count = 1;
    made.run[0].duration_ns = 50000000;
    made.run[0].recorded_count = 2;
    cr_expect_eq(reliance(), SYN_RELIANCE_CARE);
    SAYS("2 of 4 ranks were not recorded (--ranks); the run is short (50.0 ms)");
}

/* ---- uneven work ---- */

/* Rank 2 computes for 100 ms of the typical run, the others for 50; these are in messages then. */
static void make_uneven(void)
{
    struct syn_own_times *own = &made.run[1].findings.own;
    for (int i = 0; i < RANKS; i++) {
        own->rank[i].own_ns = i == 2 ? 1e8 : 5e7;
        own->rank[i].messages_ns = i == 2 ? 0 : 5e7;
        own->sum.own_ns += own->rank[i].own_ns;
        own->sum.messages_ns += own->rank[i].messages_ns;
    }
}

/* Divides the first `bin_count` 64ths of the run into passes of `bins` time bins, each counted in
 * its first bin. In pass p rank 2 has own_ns[p % 6] of own time for each bin, the others have a
 * quarter of a bin. */
static void make_passes(uint32_t bin_count, uint32_t bins, const int64_t own_ns[6])
{
    struct syn_causes *causes = &made.run[1].causes;
    const struct syn_time_bins time = {.bin_ns = made.run[1].duration_ns / 64, .count = bin_count};
    const struct syn_cause_point point = {.site = SYN_NO_NAME, .op = 1};
    cr_assert_eq(syn_cause_tables_begin(&causes->tables, 0), 0);
    cr_assert_eq(syn_label_of(&causes->tables, SYN_POINT_OUTSIDE,
                              syn_numbering_of(&causes->tables.points, &point)),
                 0);
    syn_cause_sums_begin(&causes->sums, RANKS, &time);
    for (uint32_t i = 0; i < RANKS * bin_count; i += bins) {
        const uint32_t rank = i / bin_count, pass = i % bin_count / bins;
        struct syn_bin_values values = {.count = 1};
        values.ns[SYN_CATEGORY_COMPUTING] = bins * (rank == 2 ? own_ns[pass % 6] : time.bin_ns / 4);
        values.ns[SYN_CATEGORY_MESSAGES] = bins * time.bin_ns - values.ns[SYN_CATEGORY_COMPUTING];
        cr_assert_eq(syn_bin_add(&causes->sums, rank, 0, i % bin_count, &values), 0);
    }
    syn_cause_sums_settle(&causes->sums);
}

static void end_passes(void)
{
    syn_cause_sums_free(&made.run[1].causes.sums);
    syn_cause_tables_free(&made.run[1].causes.tables);
    end();
}

#define BIN (200000000 / 64)
static const int64_t even_passes[6] = {BIN / 2, BIN / 2, BIN / 2, BIN / 2, BIN / 2, BIN / 2};

/* 2 % of the run are less than what even work would save, 18.8 %. */
Test(reliance, what_uneven_work_costs_is_a_saving)
{
    know_waiting();
    made.run[1].overhead_ns = 4e6;
    cr_expect_eq(reliance(), SYN_RELIANCE_CARE);
    SAYS("more than any saving below");
    make_uneven();
    make_passes(64, 1, even_passes);
    cr_expect_float_eq(syn_report_largest_saving(&made.report, &made.run[1]), 0.1875, 1e-9);
    cr_expect_eq(reliance(), SYN_RELIANCE_FULL);
    syn_cause_sums_free(&made.run[1].causes.sums);
    syn_cause_tables_free(&made.run[1].causes.tables);
}

/* A second reading is for the words of *Why* and for segments, where these are written. */
Test(reliance, single_passes_are_read_for_a_page_that_tells_them)
{
    make_uneven();
    cr_expect(!syn_report_wants_passes(&made.report, &made.run[1]));
    made.report.options.tells_passes = true;
    cr_expect(syn_report_wants_passes(&made.report, &made.run[1]));
    cr_expect(!syn_report_wants_passes(&made.report, &made.run[0]));
    made.report.options.rows = SYN_ROWS_SEGMENTS;
    cr_expect(syn_report_wants_passes(&made.report, &made.run[0]));
    made.report.options.tells_passes = false;
    cr_expect(!syn_report_wants_passes(&made.report, &made.run[0]));
}

static void write_warnings(void)
{
    struct syn_doc doc = start(SYN_DOC_TEXT);
    syn_report_warnings_section(&doc, &made.report);
    finish(&doc);
}

/* A rank that a signal ended, as a scheduler does, left word of it. */
Test(reliance, ranks_that_a_signal_ended_are_told)
{
    for (size_t r = 0; r < RUNS; r++)
        made.run[r].rank[0].ending = SYN_ENDING_SIGNAL + 15;
    write_warnings();
    SAYS("1 of 4 ranks ended by a signal");
    SAYS("3 of 4 ranks left no word of their end");
}

/* Ranks of a run that goes on have no end yet, and were not killed. */
Test(reliance, ranks_that_go_on_do_not_lack_an_end)
{
    write_warnings();
    SAYS("4 of 4 ranks left no word of their end");
    for (size_t r = 0; r < RUNS; r++)
        made.run[r].examination.look.goes_on = true;
    write_warnings();
    SAYS_NOT("left no word of their end");
}

Test(reliance, warnings_name_wrappers)
{
    char wrappers[] = "comm_max\ncomm_min\ncomm_sum\nmp_sum\nreduce";
    made.report.wrappers = wrappers;
    write_warnings();
    SAYS_NOT("looked past"); /* nothing above depends on it */
    made.report.options.verbose = true;
    write_warnings();
    SAYS("looked past (comm_max, comm_min, comm_sum and 2 more)");
    wrappers[8] = '\0';
    write_warnings();
    SAYS("looked past (comm_max)");
    made.report.wrappers = NULL;
    write_warnings();
    SAYS_NOT("looked past");
}

TestSuite(uneven, .init = begin, .fini = end_passes);

/* The kernel tells how long a rank was blocked, and not where. */
Test(uneven, where_a_rank_is_blocked_is_where_its_own_time_is_longer)
{
    struct syn_run_facts *run = &made.run[1];
    struct syn_uneven told;
    struct syn_doc doc = start(SYN_DOC_TEXT);
    make_uneven();
    make_passes(64, 1, even_passes);
    syn_report_uneven_work(&doc, &made.report, run, &told);
    finish(&doc);
    cr_expect_eq(told.count, 1);
    SAYS("Rank 2 computes for 100 ms outside of MPI, the mean of the ranks is 62.5 ms. It is "
         "longest before");
    SAYS("see if there is more to do there, or it takes longer for as much");
    for (int i = 0; i < RANKS; i++) {
        run->findings.own.rank[i].blocked_ns = i == 2 ? 5e7 : 0;
        run->findings.own.sum.blocked_ns = 5e7;
    }
    doc = start(SYN_DOC_TEXT);
    syn_report_uneven_work(&doc, &made.report, run, &told);
    finish(&doc);
    SAYS("Rank 2 is blocked for 50.0 ms outside of MPI, the mean of the ranks is 12.5 ms. Its own "
         "time exceeds the mean most before");
}

/* Rank 2 computes for 18.75 % of the run above the mean. */
Test(uneven, more_work_exceeds_what_other_programs_take)
{
    struct syn_run_facts *run = &made.run[1];
    make_uneven();
    make_passes(64, 1, even_passes);
    struct syn_own_time *sum = &run->findings.own.sum;
    sum->ready_ns = 0.18 * sum->own_ns;
    cr_expect(syn_report_is_uneven(run));
    sum->ready_ns = 0.19 * sum->own_ns;
    cr_expect_not(syn_report_is_uneven(run));
}

static void write_uneven(void);

/* Rank 2 sleeps in one bin for 25 ms of a run of 200 ms. Messages were recorded as events, and the
 * others are in theirs. A cause tells that rank 2 computes longer, and not that it is blocked. */
Test(uneven, a_pause_is_told_beside_work)
{
    struct syn_run_facts *run = &made.run[1];
    struct syn_message_times times[RANKS] = {{0}};
    int32_t rank = 2;
    struct syn_cause cause = {.naming = SYN_NAMING_SHOWN,
                              .pattern = SYN_PATTERN_STEADY,
                              .ranks = &rank,
                              .rank_count = 1,
                              .excess_ns = {1e6, NAN, NAN},
                              .excess_ratio = {0.5, NAN, NAN}};
    struct syn_cause_cluster cluster = {
        .first = &cause, .place_count = 1, .waiting_ns = run->findings.run_ns, .gain_ns = 1e8};
    const int64_t once[6] = {BIN / 4, BIN / 4, BIN / 4, BIN / 4, BIN / 4, BIN};
    make_passes(64, 6, once);
    run->findings.cluster = &cluster;
    run->findings.cluster_count = 1;
    run->messages.recorded = SYN_MESSAGES_EVENTS;
    run->messages.rank = times;
    for (int i = 0; i < RANKS; i++) {
        made.own[1][i].own_ns = i == 2 ? 7.5e7 : 5e7;
        made.own[1][i].blocked_ns = i == 2 ? 2.5e7 : 0;
        times[i].transfer_ns = i == 2 ? 0 : 25000000;
        run->findings.own.sum.own_ns += made.own[1][i].own_ns;
        run->findings.own.sum.blocked_ns += made.own[1][i].blocked_ns;
    }
    write_uneven();
    SAYS("Rank 2 is blocked for 25.0 ms outside of MPI, the mean of the ranks is 6.25 ms.");
    SAYS("The others are in messages for 25.0 ms. Perfect balance would save 9.4 % of the run.");
    cause.kind = SYN_KIND_BLOCKED; /* tells as much */
    write_uneven();
    SAYS_NOT("Rank 2");
    struct syn_cause_cluster many[20]; /* each tells a tenth of it */
    for (int i = 0; i < 20; i++) {
        many[i] = cluster;
        many[i].gain_ns = 2e6;
    }
    run->findings.cluster = many;
    run->findings.cluster_count = 20;
    write_uneven();
    SAYS("Rank 2 is blocked for 25.0 ms");
}

/* Rank 2 was off its processor for 25 ms for certain, and rank 1 computes 50 ms longer. */
Test(uneven, a_pause_is_told_where_another_rank_works_longer)
{
    struct syn_run_facts *run = &made.run[1];
    make_uneven();
    make_passes(64, 1, even_passes);
    for (int i = 0; i < RANKS; i++) {
        made.own[1][i].own_ns = i == 1 ? 1e8 : 5e7;
        made.own[1][i].blocked_ns = made.own[1][i].certain_ns = i == 2 ? 2.5e7 : 0;
    }
    run->findings.own.sum.blocked_ns = run->findings.own.sum.certain_ns = 2.5e7;
    write_uneven();
    SAYS("Rank 2 is blocked for 25.0 ms outside of MPI");
}

static void write_uneven(void)
{
    struct syn_uneven told;
    struct syn_doc doc = start(SYN_DOC_TEXT);
    syn_report_uneven_work(&doc, &made.report, &made.run[1], &told);
    finish(&doc);
}

/* A pass of ten bins is one observation: its time is spread evenly over them. How six passes depend
 * on one another cannot be measured. Work that wanders slowly has such an excess as the second one
 * in 10 % of the runs of four equal ranks (LAMMPS: [58, 39, 54, 47, 71, 65] ms a bin). */
Test(uneven, passes_are_observations_and_bins_are_not)
{
    const int64_t steady[6] = {BIN / 4 + BIN * 58 / 171, BIN / 4 + BIN * 54 / 171,
                               BIN / 4 + BIN * 55 / 171, BIN / 4 + BIN * 54 / 171,
                               BIN / 4 + BIN * 57 / 171, BIN / 4 + BIN * 56 / 171};
    const int64_t wandering[6] = {BIN / 4 + BIN * 58 / 171, BIN / 4 + BIN * 39 / 171,
                                  BIN / 4 + BIN * 54 / 171, BIN / 4 + BIN * 47 / 171,
                                  BIN / 4 + BIN * 71 / 171, BIN / 4 + BIN * 65 / 171};
    make_uneven();
    make_passes(60, 10, steady);
    write_uneven();
    SAYS("Perfect balance would save 18.8 % [13.7 %, 23.8 %] of the run.");
    syn_cause_sums_free(&made.run[1].causes.sums);
    syn_cause_tables_free(&made.run[1].causes.tables);
    make_passes(60, 10, wandering);
    write_uneven();
    SAYS_NOT("Rank 2");
}

/* The processor of a rank may be slower during the one pass of a run. */
Test(uneven, a_single_pass_shows_no_uneven_work)
{
    make_uneven();
    make_passes(64, 64, even_passes);
    write_uneven();
    SAYS_NOT("Rank 2");
}

/* Each of a rank's three threads is blocked for half of the run. */
Test(uneven, ranks_are_blocked_for_a_share_of_their_threads_time)
{
    struct syn_run_facts *run = &made.run[1];
    struct syn_doc doc = start(SYN_DOC_TEXT);
    bool tells_causes;
    run->causes.sums.location_count = 3 * RANKS;
    for (int i = 0; i < RANKS; i++) {
        run->findings.own.rank[i].blocked_ns = 1.5 * (double)run->findings.run_ns;
        run->findings.own.sum.blocked_ns += run->findings.own.rank[i].blocked_ns;
    }
    syn_report_machine_causes(&doc, &made.report, run, &tells_causes);
    finish(&doc);
    SAYS("Outside of MPI ranks are blocked for 50.0 % of their time");
}

/* A program without a message cannot be recorded with their events. */
Test(uneven, one_sided_calls_are_no_messages)
{
    struct syn_run_facts *run = &made.run[1];
    run->messages.recorded = SYN_MESSAGES_SUMS;
    make_uneven();
    make_passes(64, 1, even_passes);
    for (int is_one_sided = 0; is_one_sided < 2; is_one_sided++) {
        struct syn_doc doc = start(SYN_DOC_TEXT);
        run->is_one_sided = is_one_sided;
        syn_report_why_section(&doc, &made.report);
        finish(&doc);
        SAYS(is_one_sided ? "The others are in one-sided calls for" : "The others are in messages");
        reliance();
        cr_expect_eq(strstr(said(), "--messages events") == NULL, is_one_sided, "%s", said());
        SAYS(is_one_sided ? "ranks waited in one-sided calls" : "ranks waited in messages");
    }
}

/* ---- one moment ---- */

TestSuite(moment, .init = begin);

/* In run 2 the calls take twice as long from the 50th of 100 on, in run 1 they do not change. */
Test(moment, is_of_the_run_that_why_is_about)
{
    const struct syn_figures *told[1];
    struct syn_run_figures run[RUNS];
    struct syn_figures figures = {.run = run, .run_count = RUNS};
    struct syn_group *group[1] = {NULL};
    for (uint32_t r = 0; r < RUNS; r++)
        run[r] = (struct syn_run_figures){
            .run = r + 1, .instances = 100, .change = {.size = 1, .p_adjusted = 1}};
    run[1].change = (struct syn_run_change){
        .size = 1,
        .p_adjusted = 0,
        .found = {.at = 50, .before = 1e6, .after = 2e6, .waves = SYN_WAVES_CHANGE}};
    made.report.groups.group = group;
    made.report.groups.count = 1;
    made.report.figures = &figures;
    cr_expect_eq(syn_report_moment_groups(&made.report, told), 1);
    run[0].change = run[1].change;
    run[1].change.p_adjusted = 1;
    cr_expect_eq(syn_report_moment_groups(&made.report, told), 0);
}

/* From half of its calls on a group takes twice as long: the other programs came then. */
Test(moment, is_of_the_machine_where_processors_were_lost)
{
    static struct syn_group group = {.instance_count = 100}, *all[1] = {&group};
    static struct syn_run_figures run = {
        .run = 2,
        .instances = 100,
        .change = {.size = 1,
                   .found = {.at = 50, .before = 1e6, .after = 2e6, .waves = SYN_WAVES_CHANGE}}};
    static struct syn_figures figures = {.group = &group, .run = &run, .run_count = 1};
    made.report.groups.group = all;
    made.report.groups.count = 1;
    made.report.figures = &figures;
    for (int is_lost = 0; is_lost < 2; is_lost++) {
        struct syn_doc doc = start(SYN_DOC_TEXT);
        syn_report_why_section(&doc, &made.report);
        finish(&doc);
        cr_expect_eq(strstr(said(), "times as long as before") == NULL, is_lost, "%s", said());
        lose_processors(1, 0.3);
    }
}

/* ---- lost processors ---- */

TestSuite(lost, .init = begin, .fini = end);

/* Another program has the processor of rank 2. The first line gives the mean over the ranks. */
Test(lost, one_rank_is_named_wherever_it_lost_its_processor)
{
    bool tells_causes;
    lose_processors(1, 0.05);
    made.counters[1][2].last[SYN_KERNEL_RUN_DELAY].run_delay_ns = 500000;
    struct syn_doc doc = start(SYN_DOC_TEXT);
    syn_report_machine_causes(&doc, &made.report, &made.run[1], &tells_causes);
    finish(&doc);
    SAYS("Rank 2 could have run but had no processor for 50.0 % of its time, the others for "
         "5.0 %");
    cr_expect(!tells_causes);
}

/* No item about the machine is above, so that there is no other cause. */
Test(lost, nothing_stands_out_where_the_first_line_says_all)
{
    struct syn_doc doc = start(SYN_DOC_TEXT);
    lose_processors(1, 0.05);
    syn_report_why_section(&doc, &made.report);
    finish(&doc);
    SAYS("Nothing stands out");
}

/* Ranks wait for 1.5 % of their time. No test confirms the rank of what happened once. */
Test(lost, what_happened_once_has_to_be_larger)
{
    const struct syn_run_facts *run = &made.run[1];
    int32_t second = 2;
    struct syn_cause cause = {.naming = SYN_NAMING_SHOWN,
                              .pattern = SYN_PATTERN_STEADY,
                              .ranks = &second,
                              .rank_count = 1,
                              .excess_ns = {1e6, NAN, NAN}};
    const struct syn_cause_cluster cluster = {
        .first = &cause,
        .place_count = 1,
        .waiting_ns = (int64_t)(0.015 * RANKS * (double)run->findings.run_ns)};
    cr_expect(syn_cause_matters(run, &cluster));
    cause.pattern = SYN_PATTERN_NONE;
    cr_expect(!syn_cause_matters(run, &cluster));
}

/* Ranks wait for 10 % of their time for rank 2. */
static struct syn_cause longer_by(double ratio)
{
    static int32_t second = 2;
    return (struct syn_cause){.naming = SYN_NAMING_SHOWN,
                              .pattern = SYN_PATTERN_STEADY,
                              .ranks = &second,
                              .rank_count = 1,
                              .excess_ns = {1e6, 9e5, 1.1e6},
                              .excess_ratio = {ratio, NAN, NAN},
                              .evidence = {.cycles_ratio = NAN}};
}

static bool matters(const struct syn_cause *cause)
{
    const struct syn_cause_cluster cluster = {
        .first = cause,
        .place_count = 1,
        .waiting_ns = (int64_t)(0.1 * RANKS * (double)made.run[1].findings.run_ns)};
    return syn_cause_matters(&made.run[1], &cluster);
}

/* Few passes name a rank only for an excess that a slower processor cannot have. */
Test(lost, a_slower_processor_makes_a_rank_late_twice)
{
    struct syn_cause cause = longer_by(0.6);
    cr_expect(matters(&cause));
    cause.naming = SYN_NAMING_SEEN;
    cr_expect(matters(&cause));
    cause.may_be_chance = true;
    cr_expect(!matters(&cause));
    cause.kind = SYN_KIND_BLOCKED;
    cr_expect(matters(&cause));
    cause = longer_by(1.1);
    cause.naming = SYN_NAMING_SEEN;
    cause.may_be_chance = true;
    cr_expect(matters(&cause));
    cause.kind = SYN_KIND_OPERATION;
    cr_expect(!matters(&cause));
}

/* Rank 2 lost 5 % of its time, 10 ms, the others 1 %. It computes for 100 ms, the others for 97.
 * Two processors share what the machine took: an excess of as long is no finding about the program.
 */
Test(lost, a_rank_is_late_by_what_it_lost)
{
    int32_t second = 2;
    struct syn_run_facts *run = &made.run[1];
    struct syn_cause cause = longer_by(0.6);
    struct syn_cause_cluster cluster = {.first = &cause, .place_count = 1};
    cause.ranks = &second;
    cluster.waiting_ns = (int64_t)(0.039 * 3 * (double)run->findings.run_ns);
    for (int i = 0; i < RANKS; i++)
        made.own[1][i].own_ns = i == 2 ? 1e8 : 9.7e7;
    cr_expect(syn_cause_matters(run, &cluster)); /* nothing was lost */
    lose_processors(1, 0.01);
    made.counters[1][2].last[SYN_KERNEL_RUN_DELAY].run_delay_ns = 50000;
    cr_expect(!syn_cause_matters(run, &cluster));
    cause.is_seldom = true;
    cr_expect(!syn_cause_matters(run, &cluster));
    cause.kind = SYN_KIND_BLOCKED;
    cr_expect(syn_cause_matters(run, &cluster));
    cause.kind = SYN_KIND_COMPUTING;
    second = 1; /* another rank lost it */
    cr_expect(syn_cause_matters(run, &cluster));
    second = 2;
    cluster.waiting_ns = (int64_t)(0.041 * 3 * (double)run->findings.run_ns);
    cr_expect(syn_cause_matters(run, &cluster)); /* longer than that */
    cluster.waiting_ns = (int64_t)(0.039 * 3 * (double)run->findings.run_ns);
    made.own[1][2].own_ns = 1.2e8; /* it has more work, which shows elsewhere */
    cr_expect(syn_cause_matters(run, &cluster));
}

/* Other programs took 3 % of the processors' time: in some passes any rank is late by some. */
Test(lost, what_is_late_now_and_then_has_to_be_certain)
{
    struct syn_cause cause = longer_by(0.6);
    cause.naming = SYN_NAMING_SEEN;
    cause.is_seldom = true;
    cr_expect(matters(&cause));
    lose_processors(1, 0.03);
    cr_expect(!matters(&cause));
    cause.is_seldom = false;
    cr_expect(matters(&cause));
    cause.is_seldom = true;
    cause.naming = SYN_NAMING_SHOWN;
    cr_expect(matters(&cause));
    cause = longer_by(1.1);
    cause.naming = SYN_NAMING_SEEN;
    cause.is_seldom = true;
    cr_expect(matters(&cause));
}

/* Most of the waiting is for rank 2, that lost its processor, or for a reason that is not known. */
Test(lost, lost_time_may_explain_for_whom_ranks_waited)
{
    struct syn_run_facts *run = &made.run[1];
    lose_processors(1, 0.01);
    made.counters[1][2].last[SYN_KERNEL_RUN_DELAY].run_delay_ns = 50000;
    for (int r = 0; r < 2; r++) {
        made.rank[1][2].caused_ns = 3 * (r == 0 ? 7e6 : 9e6); /* 8 ms were lost */
        for (int i = 0; i < RANKS; i++)
            made.totals[1][i].inside_ns = made.rank[1][i].inside_ns = made.rank[1][i].waiting_ns =
                i == 2 ? 0 : made.rank[1][2].caused_ns / 3;
        run->causes.sums.waiting_ns = (int64_t)made.rank[1][2].caused_ns;
        struct syn_doc doc = start(SYN_DOC_TEXT);
        syn_report_why_section(&doc, &made.report);
        finish(&doc);
        if (r == 0)
            SAYS("was for rank 2, which the processor time that it lost may explain.");
        else
            SAYS("was for rank 2, but no reason for it is large and sure enough to be named.");
    }
}

/* The waiting has no cause. That no rank takes much longer is said where none does. */
Test(lost, no_rank_takes_longer_where_none_does)
{
    struct syn_own_times *own = &made.run[1].findings.own;
    for (int r = 0; r < 2; r++) {
        own->sum.own_ns = 0;
        for (int i = 0; i < RANKS; i++) {
            own->rank[i].own_ns = i == 2 ? (r == 0 ? 1.1e8 : 1.2e8) : 1e8;
            own->sum.own_ns += own->rank[i].own_ns;
            made.totals[1][i].inside_ns = made.rank[1][i].inside_ns = 1e7;
            made.rank[1][i].waiting_ns = made.rank[1][i].caused_ns = 1e7;
        }
        struct syn_doc doc = start(SYN_DOC_TEXT);
        syn_report_why_section(&doc, &made.report);
        finish(&doc);
        SAYS("is spread over many ranks.");
        if (r == 0)
            SAYS("None takes much longer than the others.");
        else
            SAYS_NOT("None takes much longer");
    }
}

/* The first line of a page tells messages from a tenth of the run on, *Why* smaller ones. */
Test(lost, unseen_messages_are_told_once)
{
    made.run[1].messages.recorded = SYN_MESSAGES_SUMS;
    for (int r = 0; r < 3; r++) {
        made.run[1].is_one_sided = r == 1;
        for (int i = 0; i < RANKS; i++)
            made.own[1][i].messages_ns = (r < 2 ? 0.08 : 0.12) * 2e8;
        reliance();
        if (r < 2)
            SAYS_NOT("record with --messages events");
        else
            SAYS("record with --messages events");
        struct syn_doc doc = start(SYN_DOC_TEXT);
        syn_report_why_section(&doc, &made.report);
        finish(&doc);
        if (r < 2)
            SAYS(r == 1 ? "One-sided calls are 8.0 % of the run" : "Messages are 8.0 % of the run");
        else
            SAYS_NOT("of the run: how much of that is waiting");
        cr_expect_eq(strstr(said(), "--messages events") != NULL, r == 0, "%s", said());
    }
}

/* Rank 2 takes 4 % longer at the place that causes most waiting, and 40 % longer at all places. */
Test(lost, a_slower_processor_is_slower_everywhere)
{
    struct syn_cause cause = longer_by(0.04);
    struct syn_cause_cluster cluster = {
        .first = &cause,
        .place_count = 9,
        .waiting_ns = (int64_t)(0.1 * RANKS * (double)made.run[1].findings.run_ns),
        .gain_ns = 1e6};
    lose_processors(1, 0.05);
    for (int i = 0; i < RANKS; i++)
        made.own[1][i].own_ns = 1e8;
    cr_expect(!syn_cause_matters(&made.run[1], &cluster));
    cluster.gain_ns = 3e7; /* of an excess of 40 ms over each of three others */
    cr_expect(syn_cause_matters(&made.run[1], &cluster));
    cause.naming = SYN_NAMING_SEEN; /* only elsewhere a test shows the rank */
    cr_expect(!syn_cause_matters(&made.run[1], &cluster));
    cluster.shown_ns = cluster.waiting_ns / 2;
    cr_expect(syn_cause_matters(&made.run[1], &cluster));
}

/* Rank 2 takes longer, and all ranks lost their processors for a share that may explain it. */
static void check_lost_may_explain(double longer, double lost, const char *excess)
{
    struct syn_run_facts *run = &made.run[1];
    struct syn_cause cause = longer_by(longer);
    struct syn_cause_cluster cluster = {.first = &cause,
                                        .place_count = 1,
                                        .waiting_ns =
                                            (int64_t)(0.1 * RANKS * (double)run->findings.run_ns)};
    cause.share = 0.447;
    cause.instances_share = 0.83;
    cause.own.is_divided = true;
    run->findings.cluster = &cluster;
    run->findings.cluster_count = 1;
    make_passes(64, 1, even_passes);
    lose_processors(1, lost);
    struct syn_doc doc = start(SYN_DOC_TEXT);
    syn_report_why_section(&doc, &made.report);
    finish(&doc);
    SAYS("That may be why, before ");
    SAYS("rank 2 computes 1.00 ms longer [900 us, 1.10 ms] than the others (");
    SAYS(excess);
    SAYS(", in every pass (44.7 % of all waiting): more work looks the same.");
    SAYS_NOT("Not known");
    SAYS_NOT("Nothing stands out");
    cause.naming = SYN_NAMING_SEEN;
    doc = start(SYN_DOC_TEXT);
    syn_report_why_section(&doc, &made.report);
    finish(&doc);
    SAYS_NOT("ank 2");
}

Test(lost, more_work_on_lost_processors_is_told, .fini = end_passes)
{
    check_lost_may_explain(0.2, 0.3, "(20.0 %)");
}

/* A run is reliable with 5 % lost, but these may explain 6 %. */
Test(lost, more_work_is_told_where_few_processors_were_lost, .fini = end_passes)
{
    check_lost_may_explain(0.06, 0.05, "(6.0 %)");
}

/* ---- who came late ---- */

TestSuite(late_section, .init = begin, .fini = end);

/* Ranks 2 and 1 came last in 60 and 50 % of the instances, most of the waiting was for rank 2. */
static void make_late(void)
{
    for (size_t r = 0; r < RUNS; r++)
        for (int i = 1; i <= 2; i++) {
            made.rank[r][i].last_count = i == 2 ? 60 : 50;
            made.rank[r][i].last_p = 0.001;
            made.rank[r][i].caused_ns = 1e6 * i;
            made.rank[r][i].waiting_ns = 5e6;
        }
}

/* A cause of one rank, which is told. */
static void make_cause(size_t run, int32_t *rank, struct syn_cause *cause,
                       struct syn_cause_cluster *cluster)
{
    *cause = (struct syn_cause){.naming = SYN_NAMING_SHOWN,
                                .pattern = SYN_PATTERN_STEADY,
                                .ranks = rank,
                                .rank_count = 1,
                                .excess_ns = {1e6, 1e6, 1e6}};
    *cluster = (struct syn_cause_cluster){
        .first = cause, .place_count = 1, .waiting_ns = made.run[run].findings.run_ns};
    made.run[run].findings.cluster = cluster;
    made.run[run].findings.cluster_count = 1;
}

static void write_late(void)
{
    struct syn_doc doc = start(SYN_DOC_TEXT);
    syn_report_late_section(&doc, &made.report);
    finish(&doc);
}

Test(late_section, other_ranks_are_those_of_the_typical_run)
{
    int32_t of_first = 0, of_typical = 3;
    struct syn_cause cause[2];
    struct syn_cause_cluster cluster[2];
    made.report.options.verbose = true;
    make_late();
    make_cause(0, &of_first, &cause[0], &cluster[0]);
    make_cause(1, &of_typical, &cause[1], &cluster[1]);
    made.rank[1][3].last_count = 10;
    write_late();
    SAYS("Rank 2 (?) came last in 60.0 %");
    SAYS("Why names rank 3 (last in 10.0 % of the instances): it counts the time waited");
}

Test(late_section, a_rank_that_both_sections_name_is_no_other)
{
    int32_t second = 1;
    struct syn_cause cause;
    struct syn_cause_cluster cluster;
    made.report.options.verbose = true;
    make_late();
    make_cause(1, &second, &cause, &cluster);
    write_late();
    SAYS("Rank 1 (?) came last in 50.0 %");
    SAYS_NOT("Why names");
}

/* A short page has late ranks that Why does not name, and only if much of the waiting was for them.
 */
Test(late_section, a_short_page_has_what_why_does_not_say)
{
    int32_t second = 1;
    struct syn_cause cause;
    struct syn_cause_cluster cluster;
    make_late();
    make_cause(1, &second, &cause, &cluster);
    for (size_t r = 0; r < RUNS; r++) {
        made.rank[r][2].waiting_ns = 1e8;
        made.rank[r][2].caused_ns = 2e7;
    }
    write_late();
    SAYS("Rank 2 (?) came last in 60.0 %");
    SAYS("Why names rank 1");
    SAYS_NOT("Rank 1 (?)");
    for (size_t r = 0; r < RUNS; r++)
        made.rank[r][2].caused_ns = 9e6;
    write_late();
    SAYS_NOT("came last");
}

Test(late_section, ranks_left_out_of_any_run_may_be_the_late_ones)
{
    make_late();
    made.run[2].recorded_count = 2;
    write_late();
    SAYS_NOT("Not known"); /* the first line of the page says why */
    made.report.options.verbose = true;
    write_late();
    SAYS("Not known: not all ranks were recorded (--ranks).");
}

/* Rank 3 is longer in messages, of which only sums are known: it may wait there for rank 2, which
 * computes longer. Both are told as what they are, the work first. */
Test(late_section, messages_that_were_summed_up_are_no_cause)
{
    struct syn_run_facts *run = &made.run[1];
    int32_t last = 3;
    struct syn_cause cause;
    struct syn_cause_cluster cluster;
    const struct syn_cause_point point = {.site = SYN_NO_NAME, .op = 1};
    cr_assert_eq(syn_cause_tables_begin(&run->causes.tables, 0), 0);
    cr_assert_eq(syn_label_of(&run->causes.tables, SYN_POINT_OUTSIDE,
                              syn_numbering_of(&run->causes.tables.points, &point)),
                 0);
    run->causes.plan.location_count = 0; /* no cells */
    make_uneven();
    make_cause(1, &last, &cause, &cluster);
    cause.category = SYN_CATEGORY_MESSAGES;
    cause.kind = SYN_KIND_MESSAGES;
    cause.share = 1;
    cause.gain_ns.median = 0.9 * (double)run->findings.run_ns;
    cluster.waiting_ns = RANKS * run->findings.run_ns;
    run->causes.sums.waiting_ns = RANKS * run->findings.run_ns;
    run->messages.recorded = SYN_MESSAGES_SUMS;
    struct syn_doc doc = start(SYN_DOC_TEXT);
    syn_report_why_section(&doc, &made.report);
    finish(&doc);
    SAYS("100.0 % of all waiting follows from this. For whom these messages waited was not "
         "recorded");
    SAYS("Next: record with --messages events");
    SAYS_NOT("This causes");
    cr_expect_lt(strstr(said(), "Rank 2 computes"), strstr(said(), "Rank 3 is in messages"), "%s",
                 said());
    run->messages.recorded = SYN_MESSAGES_EVENTS;
    doc = start(SYN_DOC_TEXT);
    syn_report_why_section(&doc, &made.report);
    finish(&doc);
    SAYS("This causes 100.0 % of all waiting");
    run->findings.cluster_count = 0;
    syn_cause_tables_free(&run->causes.tables);
}

/* ---- a page ---- */

/* It is unknown who waited for ranks that were left out: no bar shows waiting as 0. */
Test(late_section, bars_divide_no_time_that_is_not_known)
{
    for (int i = 0; i < RANKS; i++)
        made.totals[1][i].inside_ns = 1e7;
    struct syn_doc doc = start(SYN_DOC_HTML);
    syn_report_html_time_bars(&doc, &made.report);
    finish(&doc);
    SAYS("Where each rank");
    made.run[1].recorded_count = 2;
    doc = start(SYN_DOC_HTML);
    syn_report_html_time_bars(&doc, &made.report);
    finish(&doc);
    cr_expect_eq(made.text.length, 0, "%s", said());
}

/* Clocks are drawn of the first run, while the page's other pictures are of the typical one. */
Test(late_section, pictures_of_clocks_name_their_run)
{
    struct syn_clock_history history = {
        .rank = 1, .band = {{.at_ns = 0}, {.at_ns = 1000}}, .band_count = 2};
    made.run[0].history = &history;
    made.run[0].history_count = 1;
    struct syn_doc doc = start(SYN_DOC_HTML);
    syn_report_html_clocks(&doc, &made.report);
    finish(&doc);
    SAYS("<h2>Clocks (run 1)</h2>");
    made.report.run_count = 1;
    doc = start(SYN_DOC_HTML);
    syn_report_html_clocks(&doc, &made.report);
    finish(&doc);
    SAYS("<h2>Clocks</h2>");
}
