/* Messages between the processes of a team: every member of a structure has its row, the bytes are
 * those of the format, a message arrives as it was sent, and one that was cut is refused. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/sums/tables.h"
#include "analyze/match/groups/groups_parts.h"
#include "analyze/match/groups/groups_team.h"
#include "analyze/match/match_internal.h"
#include "analyze/match/members/experiment.h"
#include "analyze/report/findings/report.h"
#include "analyze/report/report_team.h"
#include "analyze/report/team_figures.h"
#include "fields_cover.h"
#include "made_trace.h"
#include "sync/base/fields.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"

static const struct syn_fields *const all_fields[] = {
    &syn_rank_totals_fields,    &syn_match_totals_fields, &syn_common_fields,
    &syn_group_run_fields,      &syn_group_rank_fields,   &syn_group_fields,
    &syn_group_overlap_fields,  &syn_causality_fields,    &syn_rank_facts_fields,
    &syn_metric_figures_fields, &syn_rank_figures_fields, &syn_run_figures_fields,
    &syn_pair_fields,           &syn_figures_fields,      &syn_sight_fields,
    &syn_cause_point_fields,    &syn_call_kind_fields,    &syn_label_fields,
    &syn_replay_call_fields,    &syn_account_fields,      &syn_sample_fields,
    &syn_cause_block_fields,    &syn_cause_slot_fields,   &syn_cause_drawn_fields,
    &syn_cause_shift_fields};

Test(team, every_member_has_its_row)
{
    for (size_t i = 0; i < sizeof all_fields / sizeof *all_fields; i++)
        cr_expect(fields_cover_all(all_fields[i]), "%s", all_fields[i]->name);
}

Test(team, a_member_that_was_forgotten_is_found)
{
    struct syn_field row[8];
    struct syn_fields lacking;
    cr_assert_eq(syn_causality_fields.count, 8);
    for (size_t without = 0; without < 8; without++) {
        size_t count = 0;
        for (size_t i = 0; i < 8; i++)
            if (i != without)
                row[count++] = syn_causality_fields.field[i];
        lacking = syn_causality_fields;
        lacking.field = row;
        lacking.count = count;
        /* the last one is as small as what alignment may leave */
        cr_expect(!fields_cover_all(&lacking) || without == 7, "without row %zu", without);
    }
}

/* Bytes that any structure can have: small, so that bools and enums are 0. */
static void fill(void *object, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)object)[i] = i % 8 == 0 ? (uint8_t)(i / 8 % 2) : 0;
}

Test(team, what_was_sent_is_there_and_what_was_cut_is_refused)
{
    for (size_t i = 0; i < sizeof all_fields / sizeof *all_fields; i++) {
        const struct syn_fields *fields = all_fields[i];
        void *sent = calloc(1, fields->bytes), *there = calloc(1, fields->bytes);
        struct syn_bytes message = {0}, again = {0};
        fill(sent, fields->bytes);
        syn_fields_put(fields, sent, &message);
        struct syn_take take = syn_take_from(message.data, message.count);
        syn_fields_take(fields, &take, there);
        cr_expect(!take.failed && syn_take_left(&take) == 0, "%s", fields->name);
        syn_fields_put(fields, there, &again);
        cr_expect(message.count == again.count &&
                      memcmp(message.data, again.data, message.count) == 0,
                  "%s", fields->name);
        for (size_t cut = 0; cut < message.count; cut++) {
            take = syn_take_from(message.data, cut);
            syn_fields_take(fields, &take, there);
            cr_expect(take.failed, "%s cut to %zu of %zu", fields->name, cut, message.count);
        }
        syn_bytes_free(&message);
        syn_bytes_free(&again);
        free(sent);
        free(there);
    }
}

Test(team, the_bytes_are_those_of_the_format)
{
    const struct syn_common common = {300, true, false};
    const struct syn_group_overlap overlap = {1.0, -2.0, 0};
    const struct syn_call_kind kind = {.comm = 1, .member = 2, .root = -1, .op = 0x1234};
    static const uint8_t expected[] = {0xAC, 0x02, 1, 0, /* a common */
                                       0,    0,    0, 0, 0,    0, 0xF0, 0x3F, 0,    0, 0,
                                       0,    0,    0, 0, 0xC0, 0, 0,    0,    0,    0, 0,
                                       0,    0,    1, 2, 0,    0, 1,    0xB4, 0x24, 0, 0};
    struct syn_bytes message = {0};
    syn_fields_put(&syn_common_fields, &common, &message);
    syn_fields_put(&syn_group_overlap_fields, &overlap, &message);
    syn_fields_put(&syn_call_kind_fields, &kind, &message);
    cr_assert_eq(message.count, sizeof expected);
    cr_assert_arr_eq(message.data, expected, sizeof expected);
    syn_bytes_free(&message);
}

Test(team, numbers_that_cannot_be_meant_are_refused)
{
    static const uint8_t bool_of_two[] = {0, 2, 0}, wide[] = {0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0};
    struct syn_common common;
    struct syn_label label;
    struct syn_take take = syn_take_from(bool_of_two, sizeof bool_of_two);
    syn_fields_take(&syn_common_fields, &take, &common);
    cr_expect(take.failed);
    take = syn_take_from(wide, sizeof wide);
    syn_fields_take(&syn_label_fields, &take, &label);
    cr_expect(take.failed);
}

static struct syn_report make(struct made_trace *made)
{
    struct syn_run_path path = {.run = 1, .directory = made->directory};
    struct syn_experiment experiment = {.run = &path, .count = 1};
    struct syn_report_options options = {
        .by = SYN_BY_DEFAULT, .confidence = 0.95, .sort = "total", .pairs = true};
    struct syn_report report;
    char *why = NULL;
    cr_assert_eq(syn_report_make(&experiment, &options, &report, &why), 0, "%s", why ? why : "");
    return report;
}

Test(team, each_meets_each_other_one_once_and_both_at_the_same_step)
{
    for (int size = 1; size <= 9; size++)
        for (int rank = 0; rank < size; rank++) {
            const struct syn_team team = {.link = {.rank = rank, .size = size}};
            unsigned met = 0;
            for (int step = 0; step < size; step++) {
                const int peer = syn_team_partner(&team, step);
                const struct syn_team other = {.link = {.rank = peer, .size = size}};
                cr_expect_eq(syn_team_partner(&other, step), rank);
                met |= 1u << peer;
            }
            cr_expect_eq(met, (1u << size) - 1, "rank %d of %d", rank, size);
        }
}

/* Groups of so many keys, each with three rows that start at first_ns, first_ns + 10, ... */
static void fill_groups(struct syn_groups *groups, uint64_t count, int64_t first_ns)
{
    syn_groups_init(groups, SYN_BY_DEFAULT);
    for (uint64_t g = 0; g < count; g++) {
        const uint64_t key[SYN_KEY_COUNT] = {g, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        struct syn_group *group = syn_groups_find(groups, key);
        for (int64_t i = 0; i < 3; i++)
            cr_assert_eq(syn_column_append(&group->start_ns, NULL, first_ns + 10 * i), 0);
        group->instance_count = 3;
    }
}

/* As if they were those of the only process: what it keeps for itself it has. */
static void check_outbox(size_t budget_bytes)
{
    struct syn_team team = {.link = {.size = 1}};
    struct syn_names names = {0};
    struct syn_outbox outbox;
    struct syn_groups part, whole;
    int64_t start_ns[9];
    cr_assert_eq(syn_team_begin(&team), 0);
    syn_groups_init(&whole, SYN_BY_DEFAULT);
    cr_assert_eq(syn_groups_bound_memory(&whole, 1 << 20), 0);
    syn_outbox_begin(&outbox, &team, &names, budget_bytes);
    for (uint64_t turn = 0; turn < 40; turn += 10) { /* rounds of 16 turns */
        fill_groups(&part, 2 + turn / 10, 1000 - (int64_t)turn);
        cr_assert_eq(syn_outbox_add(&outbox, &part, turn, turn == 30 ? 1001 : INT64_MIN), 0);
        syn_groups_free(&part);
    }
    cr_assert_eq(syn_outbox_exchange(&outbox, 41, &whole, 7), 0);
    cr_assert_eq(whole.count, 5);
    for (uint64_t g = 0; g < 5; g++) {
        cr_expect_eq(whole.group[g]->key[0], g);
        cr_expect_eq(whole.group[g]->first_run, 7);
    }
    static const int64_t expected[] = {970, 980, 980, 990, 990, 990, 1000, 1000, 1000};
    const struct syn_group *first = whole.group[0];
    cr_assert_eq(first->start_ns.count, 9); /* three of twelve are held back */
    cr_assert_eq(first->held[SYN_GROUP_START].count, 3);
    cr_assert_eq(syn_column_read(&first->start_ns, whole.store, 0, 9, start_ns), 0);
    cr_expect_arr_eq(start_ns, expected, sizeof expected);
    cr_expect_eq(outbox.file >= 0, budget_bytes == 0);
    syn_outbox_end(&outbox);
    syn_groups_free(&whole);
    syn_names_free(&names);
    syn_team_end(&team);
}

Test(team, what_is_kept_for_an_owner_is_absorbed_in_the_order_of_turns)
{
    check_outbox(1 << 20);
    check_outbox(0); /* all of it in a file */
}

Test(team, buckets_are_dealt_evenly_and_process_0_gets_less)
{
    static const uint64_t four[] = {0, 900, 0, 1000, 0, 800, 1100, 0};
    static const uint64_t even[] = {100, 100, 100, 100, 100, 100, 100, 100};
    int owner[9], count[3] = {0};
    uint64_t load[4] = {0};
    cr_assert_eq(syn_outbox_deal(four, 8, 4, owner), 0);
    for (int bucket = 0; bucket < 8; bucket++)
        load[owner[bucket]] += four[bucket];
    cr_expect_eq(load[0], 800); /* each has one of the four */
    cr_expect_eq(load[1], 1100);
    cr_expect_eq(load[2], 1000);
    cr_expect_eq(load[3], 900);
    cr_assert_eq(syn_outbox_deal(even, 8, 3, owner), 0);
    for (int bucket = 0; bucket < 8; bucket++)
        count[owner[bucket]]++;
    cr_expect_eq(count[0], 2);
    cr_expect_eq(count[1], 3);
    cr_expect_eq(count[2], 3);
    memset(count, 0, sizeof count); /* a first run without groups */
    cr_assert_eq(syn_outbox_deal((uint64_t[9]){0}, 9, 3, owner), 0);
    for (int bucket = 0; bucket < 9; bucket++)
        count[owner[bucket]]++;
    cr_expect(count[0] == 3 && count[1] == 3 && count[2] == 3);
}

/* 0, or the status of taking a group from so many bytes of a message. */
static int take_group(const struct syn_bytes *message, size_t bytes, struct syn_bytes *again)
{
    struct syn_groups groups;
    struct syn_take take = syn_take_from(message->data, bytes);
    syn_groups_init(&groups, SYN_BY_DEFAULT);
    cr_assert_eq(syn_groups_bound_memory(&groups, 1 << 20), 0);
    const int status = syn_group_take(&take, NULL, &groups);
    if (status == SYN_OK && again)
        syn_group_put(groups.group[0], true, again);
    syn_groups_free(&groups);
    return status;
}

/* Three ranks that allreduce 40 times. */
static struct syn_trace *make_allreduces(struct made_trace *made)
{
    made_begin(made, 3);
    for (int i = 0; i < 40; i++) {
        struct syn_event event = {
            .op = SYN_OP_BLOCKING(ALLREDUCE), .bytes = 8, .root = -1, .sequence = (uint64_t)i};
        for (int rank = 0; rank < made->rank_count; rank++)
            made_event(made, rank, i * 1000 + rank, i * 1000 + 100 + (i + rank) % 7, event);
    }
    return made_open(made, 0);
}

/* Sums of causes added to those of a report. The status. */
static int take_sums(struct syn_report *report, const struct syn_bytes *message, size_t bytes)
{
    struct syn_take take = syn_take_from(message->data, bytes);
    return syn_causes_sums_take(&report->run[0].causes, &take, NULL);
}

Test(team, sums_of_causes_are_added_or_refused)
{
    struct made_trace made;
    struct syn_bytes message = {0};
    struct syn_trace *trace = make_allreduces(&made);
    struct syn_report report = make(&made);
    struct syn_causes *causes = &report.run[0].causes;
    const int64_t waiting_ns = causes->sums.waiting_ns;
    const uint64_t instance_count = causes->sums.instance_count;
    cr_assert_gt(waiting_ns, 0);
    cr_assert_eq(syn_causes_sums_put(causes, &message), 0);
    for (size_t cut = 0; cut < message.count; cut++)
        cr_expect_eq(take_sums(&report, &message, cut), SYN_ETRANSPORT, "cut to %zu", cut);
    cr_expect_eq(causes->sums.waiting_ns, waiting_ns);
    cr_assert_eq(take_sums(&report, &message, message.count), 0);
    cr_expect_eq(causes->sums.waiting_ns, 2 * waiting_ns);
    cr_expect_eq(causes->sums.instance_count, 2 * instance_count);
    syn_bytes_free(&message);
    syn_report_free(&report);
    made_end(&made, trace);
}

Test(team, a_group_and_its_figures_arrive_whole_or_not_at_all)
{
    struct made_trace made;
    struct syn_bytes group = {0}, group_again = {0}, figures = {0}, figures_again = {0};
    struct syn_figures there;
    struct syn_trace *trace = make_allreduces(&made);
    struct syn_report report = make(&made);
    const struct syn_group *sent = report.groups.group[0];
    cr_assert_eq(syn_group_put(sent, true, &group), 0);
    cr_assert_eq(take_group(&group, group.count, &group_again), 0);
    cr_expect_eq(group.count, group_again.count);
    cr_expect_arr_eq(group.data, group_again.data, group.count);
    for (size_t cut = 0; cut < group.count; cut++)
        cr_expect_eq(take_group(&group, cut, NULL), SYN_ETRANSPORT, "cut to %zu", cut);

    /* without its columns: their lengths, and nothing that could be read */
    struct syn_groups groups;
    int64_t value;
    group.count = 0;
    cr_assert_eq(syn_group_put(sent, false, &group), 0);
    struct syn_take plain = syn_take_from(group.data, group.count);
    syn_groups_init(&groups, SYN_BY_DEFAULT);
    cr_assert_eq(syn_groups_bound_memory(&groups, 1 << 20), 0);
    cr_assert_eq(syn_group_take(&plain, NULL, &groups), 0);
    const struct syn_column *start_ns = &groups.group[0]->start_ns;
    cr_expect_eq(start_ns->count, 40);
    cr_expect_eq(syn_column_read(start_ns, groups.store, 0, 1, &value), SYN_EINVAL);
    syn_groups_free(&groups);

    syn_figures_put(&report.figures[0], &figures);
    struct syn_take take = syn_take_from(figures.data, figures.count);
    cr_assert_eq(syn_figures_take(&take, sent, &there), 0);
    cr_expect_eq(there.rank_count, 3);
    cr_expect_eq(there.kruskal_pair[2].j, 2);
    syn_figures_put(&there, &figures_again);
    cr_expect_arr_eq(figures.data, figures_again.data, figures.count);
    syn_figures_free(&there);
    for (size_t cut = 0; cut < figures.count; cut++) {
        take = syn_take_from(figures.data, cut);
        cr_expect_eq(syn_figures_take(&take, sent, &there), SYN_ETRANSPORT, "cut to %zu", cut);
        syn_figures_free(&there);
    }
    syn_bytes_free(&group);
    syn_bytes_free(&group_again);
    syn_bytes_free(&figures);
    syn_bytes_free(&figures_again);
    syn_report_free(&report);
    made_end(&made, trace);
}

/* Groups of 8 ranks in processes peer[0 .. count - 1], and who computes them. */
static bool deal(size_t count, uint64_t instances, const int *peer, int size, int *computes)
{
    struct syn_group group = {.instance_count = instances, .rank_count = 8};
    struct syn_group_home home[8];
    struct syn_group_homes homes = {.home = home, .count = count};
    for (size_t i = 0; i < count; i++)
        home[i] = (struct syn_group_home){&group, peer[i], peer[i]};
    cr_assert_eq(syn_team_deal(&homes, size), 0);
    for (size_t i = 0; i < count; i++)
        computes[i] = home[i].computes;
    return homes.moves;
}

Test(team, a_group_moves_only_where_it_is_ready_earlier)
{
    static const int two_in_one[] = {0, 2, 2, 3}, all_in_one[] = {1, 1, 1, 1};
    int computes[4];
    /* of few instances: one moves to who has none, and nobody else's does */
    cr_expect(deal(4, 100000, two_in_one, 4, computes));
    cr_expect_eq(computes[0], 0);
    cr_expect_eq(computes[3], 3);
    cr_expect_eq(computes[1] + computes[2], 3, "%d, %d", computes[1], computes[2]);
    /* of many, bringing it there takes longer than computing two */
    cr_expect_not(deal(4, 3000000, two_in_one, 4, computes));
    cr_expect_arr_eq(computes, two_in_one, sizeof two_in_one);
    /* but not than computing four, where nothing else is to be done there: process 0 finds causes
     */
    cr_expect_not(deal(4, 3000000, all_in_one, 2, computes));
    cr_expect(deal(4, 3000000, all_in_one, 3, computes));
    cr_expect_eq(computes[0] + computes[1] + computes[2] + computes[3], 5);
    cr_expect(deal(4, 100000, all_in_one, 2, computes));
    cr_expect_eq(computes[0] + computes[1] + computes[2] + computes[3], 3);
}
