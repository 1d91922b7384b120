/* Very many groups, whose instances wait for each other on their way there. */
#include <criterion/criterion.h>
#include <string.h>

#include "analyze/match/groups/groups.h"
#include "analyze/match/instance.h"
#include "sync/base/integers.h"
#include "trace/base/event.h"
#include "trace/base/ops.h"

#define MANY_GROUPS 300
#define ROUNDS      1998 /* more than may wait at once; the last ones are like those before */
#define FEW_RANKS   4
#define STEP_NS     1000

/* Makes an instance that does not wait for its group and changes its notes. */
static void make_special(struct syn_instance *instance, struct syn_member *member, int k)
{
    if (k % 97 == 96) { /* other members say something else */
        instance->signature_serial += MANY_GROUPS;
        instance->root = 1;
    }
    if (k % 389 == 388)
        instance->signature_serial = 0;
    if (k % 211 == 210)
        instance->flags = SYN_EVENT_FAILED;
    if (k % 241 == 240)
        instance->flags = SYN_EVENT_LATE_START;
    if (k % 307 == 306) {
        instance->has_request = true;
        member[1].wait_start_ns = member[1].start_ns + 5;
    }
    if (k % 401 == 400) { /* too long to be kept short */
        member[2].end_ns += INT64_C(5000000000);
        instance->last_end_ns = member[2].end_ns;
    }
    if (k % 419 == 418) { /* it waits, but is no part of a batch */
        member[3].end_ns += INT64_C(3000000000);
        instance->last_end_ns = member[3].end_ns;
        instance->first_end_ns = syn_least(syn_least(member[0].end_ns, member[1].end_ns),
                                           syn_least(member[2].end_ns, member[3].end_ns));
    }
    if (k % 457 == 456) /* it does not, as its bound is too long */
        instance->bound_ns = INT64_C(5000000000);
    if (k % 503 == 502) { /* it ended before it began */
        member[0].end_ns = member[0].start_ns - 1000;
        instance->first_end_ns = member[0].end_ns;
    }
}

/* Adds instances of groups in turn, each of which also has some of a communicator with the same
 * ranks in another order. In a slice of an odd number some are of other ranks, and in the fifth one
 * two of each group that follow one another are told in the wrong order. */
static void add_instances_of_groups(struct syn_groups *groups, int slice, int rounds)
{
    static uint32_t up[FEW_RANKS] = {0, 1, 2, 3}, down[FEW_RANKS] = {3, 2, 1, 0},
                    others[FEW_RANKS] = {2, 3, 4, 5};
    static const struct syn_communicator comm[3] = {
        {.size = FEW_RANKS, .full_size = FEW_RANKS, .world_rank = up},
        {.size = FEW_RANKS, .full_size = FEW_RANKS, .world_rank = down, .label = 1},
        {.size = FEW_RANKS, .full_size = FEW_RANKS, .world_rank = others, .label = 2}};
    const struct syn_groups_run run = {0};
    uint64_t drawn = 7;
    for (int k = 0; k < MANY_GROUPS * rounds; k++) {
        const int g = k % MANY_GROUPS;
        const int64_t at_ns = (slice == 4 ? (k / MANY_GROUPS ^ 1) * MANY_GROUPS + g : k) * STEP_NS;
        const int other = slice % 2 && g % 7 == 3 ? 2 : k / MANY_GROUPS % 5 == 4;
        struct syn_member member[FEW_RANKS];
        struct syn_instance instance = {.comm = &comm[other],
                                        .op = SYN_OP_BLOCKING(ALLREDUCE),
                                        .site = (uint32_t)g,
                                        .root = other,
                                        .first_start_ns = INT64_MAX,
                                        .last_start_ns = INT64_MIN,
                                        .first_end_ns = INT64_MAX,
                                        .last_end_ns = INT64_MIN,
                                        .lead_ns = k % 150,
                                        .bound_ns = 100,
                                        .member = member,
                                        .signature_serial = (uint64_t)(1 + g + other * 1000),
                                        .signature_place = (uint32_t)(3 * g + other)};
        for (int r = 0; r < FEW_RANKS; r++) {
            drawn = drawn * 6364136223846793005 + 1442695040888963407;
            const int64_t start_ns = at_ns + (int64_t)(drawn >> 58);
            const int64_t end_ns = at_ns + 30 + (int64_t)(drawn >> 50) % 90;
            member[r] = (struct syn_member){.start_ns = start_ns,
                                            .call_end_ns = start_ns,
                                            .wait_start_ns = start_ns,
                                            .end_ns = end_ns};
            if (start_ns > instance.last_start_ns)
                instance.last_starter = (uint32_t)r;
            instance.first_start_ns = syn_least(start_ns, instance.first_start_ns);
            instance.last_start_ns = syn_largest(start_ns, instance.last_start_ns);
            instance.first_end_ns = syn_least(end_ns, instance.first_end_ns);
            instance.last_end_ns = syn_largest(end_ns, instance.last_end_ns);
        }
        if (g % 2 == 0) /* those of the other groups all wait */
            make_special(&instance, member, k);
        for (int r = 0; r < FEW_RANKS; r++) {
            member[r].inside_ns = syn_member_inside_ns(&member[r]);
            member[r].waiting_ns = syn_member_waiting_ns(&member[r], instance.last_start_ns);
            instance.others_waiting_ns += (double)member[r].waiting_ns;
        }
        if (k % 601 == 600)
            cr_assert_eq(syn_groups_add_incomplete(groups, &run, &instance), 0);
        cr_assert_eq(syn_groups_add(groups, &run, &instance), 0);
    }
}

static void expect_same_values(const struct syn_column *a, const struct syn_column *b,
                               const struct syn_store *store)
{
    static int64_t of_a[5 * ROUNDS], of_b[5 * ROUNDS];
    cr_assert_eq(a->count, b->count);
    cr_assert_leq(a->count, 5 * ROUNDS);
    cr_assert_eq(syn_column_read(a, store, 0, a->count, of_a), 0);
    cr_assert_eq(syn_column_read(b, store, 0, b->count, of_b), 0);
    cr_assert_eq(memcmp(of_a, of_b, a->count * sizeof *of_a), 0);
}

static void expect_same_group(const struct syn_group *a, const struct syn_group *b)
{
    cr_assert_eq(memcmp(a->key, b->key, sizeof a->key), 0);
    cr_assert_eq(memcmp(&a->root, &b->root, sizeof a->root), 0);
    cr_assert(a->instance_count == b->instance_count && a->failed_count == b->failed_count &&
              a->incomplete_count == b->incomplete_count &&
              a->left_out_count == b->left_out_count && a->tie_sum == b->tie_sum &&
              a->overlap.between_ns == b->overlap.between_ns && a->rank_count == b->rank_count);
    for (int c = 0; c < SYN_GROUP_COLUMNS; c++)
        expect_same_values(&a->column[c], &b->column[c], NULL);
    for (size_t r = 0; r < a->rank_count; r++) {
        const struct syn_group_rank *x = &a->rank[r], *y = &b->rank[r];
        expect_same_values(&x->local_ns, &y->local_ns, NULL);
        cr_assert(x->rank == y->rank && x->midrank_sum == y->midrank_sum &&
                  x->last_count == y->last_count && x->last_sure_count == y->last_sure_count &&
                  x->wait_ns == y->wait_ns && x->inside_ns == y->inside_ns &&
                  x->waiting_ns == y->waiting_ns && x->caused_ns == y->caused_ns);
    }
}

static uint64_t count_added(const struct syn_groups *groups)
{
    uint64_t count = 0;
    for (size_t g = 0; g < groups->count; g++)
        count += groups->group[g]->instance_count;
    return count;
}

Test(groups, have_the_same_whether_instances_waited_for_them_or_not)
{
    struct syn_groups waited, at_once;
    syn_groups_init(&waited, SYN_BY_DEFAULT);
    syn_groups_init(&at_once, SYN_BY_DEFAULT);
    waited.queues = true;
    for (int slice = 0; slice < 2; slice++) {
        add_instances_of_groups(&waited, slice, ROUNDS);
        add_instances_of_groups(&at_once, slice, ROUNDS);
        cr_assert_not_null(waited.queue);
        cr_expect_lt(count_added(&waited), count_added(&at_once));
        cr_assert_eq(syn_groups_settle(&waited), 0);
        cr_assert_eq(waited.count, MANY_GROUPS);
        for (size_t g = 0; g < MANY_GROUPS; g++)
            expect_same_group(waited.group[g], at_once.group[g]);
        syn_groups_empty(&waited);
        syn_groups_empty(&at_once);
    }
    syn_groups_free(&waited);
    syn_groups_free(&at_once);
}

static void expect_lent_by(const struct syn_group *group, const struct syn_column *held)
{
    const size_t most = (SYN_GROUP_COLUMNS + group->rank_count) * held->capacity;
    if (held->is_lent && held->count > 0)
        cr_assert(held->value >= group->held_piece && held->value <= group->held_piece + most);
}

/* Held columns lie in the piece that goes with them, not where the part's next columns will lie. */
static void expect_held_apart(const struct syn_groups *whole)
{
    for (size_t g = 0; g < whole->count; g++) {
        const struct syn_group *group = whole->group[g];
        for (int c = 0; c < SYN_GROUP_COLUMNS; c++)
            expect_lent_by(group, &group->held[c]);
        for (size_t r = 0; r < group->held_rank_count; r++)
            expect_lent_by(group, &group->held_rank[r]);
    }
}

/* Parts of slices, of which the next one begins before the one before has ended: most are longer
 * than those before, and after one of them nothing is held. At the end of each some still wait. */
static void absorb_slices(struct syn_groups *whole, bool queues)
{
    static const struct {
        int rounds, watermark; /* in rounds */
    } slice[] = {{123, 60}, {243, 100}, {363, 150}, {483, 1000}, {98, 50}, {603, -1}};
    struct syn_groups part;
    syn_groups_init(whole, SYN_BY_DEFAULT);
    cr_assert_eq(syn_groups_bound_memory(whole, (size_t)1 << 30), 0);
    syn_groups_init(&part, SYN_BY_DEFAULT);
    part.queues = queues;
    for (int i = 0; i < (int)(sizeof slice / sizeof *slice); i++) {
        const int64_t watermark_ns = slice[i].watermark < 0
                                         ? INT64_MAX
                                         : (int64_t)slice[i].watermark * MANY_GROUPS * STEP_NS;
        add_instances_of_groups(&part, i, slice[i].rounds);
        cr_assert_eq(syn_groups_absorb(whole, &part, 0, INT64_MIN), 0);
        expect_held_apart(whole);
        syn_groups_empty(&part);
        cr_assert_eq(syn_groups_absorb(whole, &part, 0, watermark_ns), 0);
    }
    syn_groups_free(&part);
}

Test(groups, are_absorbed_alike_whether_instances_waited_for_them_or_not)
{
    struct syn_groups waited, at_once;
    absorb_slices(&waited, true);
    absorb_slices(&at_once, false);
    cr_assert_eq(waited.count, MANY_GROUPS);
    for (size_t g = 0; g < MANY_GROUPS; g++) {
        const struct syn_group *a = waited.group[g], *b = at_once.group[g];
        cr_assert_eq(a->rank_count, b->rank_count);
        cr_expect_null(a->held_piece);
        for (int c = 0; c < SYN_GROUP_COLUMNS; c++)
            expect_same_values(&a->column[c], &b->column[c], waited.store);
        for (size_t r = 0; r < a->rank_count; r++)
            expect_same_values(&a->rank[r].local_ns, &b->rank[r].local_ns, waited.store);
    }
    syn_groups_free(&waited);
    syn_groups_free(&at_once);
}
