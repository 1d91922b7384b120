/* analyze/tune/session.c - decides which candidates are measured when. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/command.h"
#include "analyze/print/output.h"
#include "analyze/tune/tune.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"

#define FINALISTS_MOST 3
#define BROKEN_MOST    16
#define SCREEN_SHARE   0.15 /* share of the time for each launch that screens */
#define DECIDE_SHARE   0.1  /* for each launch that decides */
#define CHECK_SHARE \
    0.06 /* for each launch that checks the advice: in a shorter one few calls are in time */
#define CHECK_LAUNCHES 3
#define EFFECT_VALUES  4       /* least number of values that show an effect */
#define EFFECT_LEAST   1.1     /* least ratio of the slowest to the fastest */
#define SPREAD_MOST    20      /* in operation times: limit of a planned arrival after the first */
#define SPREAD_LEAST   2000000 /* ns; lower bound of that limit */

/* Returns the exit status for a failure, after a line on stderr. */
static int failed(int status, struct syn_text *why)
{
    if (status == SYN_ETRANSPORT)
        return syn_bad_input("tune: the launcher failed: %s", syn_text_chars(why));
    return syn_bad_input("tune: %s", status == SYN_EEND ? "interrupted" : syn_status_text(status));
}

/* ---- what there is to try ---- */

static int ask(struct tune_session *session)
{
    struct syn_text plan = {0}, why = {0};
    char *answer = NULL;
    syn_text_format(&plan, "%d 0 0 0\n", session->trace->rank_count);
    int status = tune_launch(&session->launcher, "", &plan, &answer, &why);
    if (status == SYN_OK)
        status = tune_offers_read(answer, &session->offers);
    else
        free(answer);
    if (status != SYN_OK)
        status = failed(status, &why);
    syn_text_free(&plan);
    syn_text_free(&why);
    return status;
}

/* Checks that the launcher starts as many ranks as the trace has, with the same ranks on a common
 * host. */
static int check_offers(const struct tune_session *session)
{
    const struct tune_offers *offers = &session->offers;
    char **there = session->trace->host;
    const char **here = offers->host;
    const int32_t ranks = session->trace->rank_count;
    bool is_renamed = false;
    if (offers->rank_count != ranks || offers->host_count != (size_t)ranks)
        return syn_bad_input("tune: the launcher starts %d rank%s, and the trace has %d",
                             offers->rank_count, offers->rank_count == 1 ? "" : "s", ranks);
    if (offers->count == 0)
        return syn_bad_input("tune: %.60s has no control variables that choose algorithms",
                             offers->mpi_version ? offers->mpi_version : "this MPI");
    for (int32_t a = 0; a < ranks; a++) {
        is_renamed |= strcmp(there[a], here[a]) != 0;
        for (int32_t b = 0; b < a; b++)
            if ((strcmp(there[a], there[b]) == 0) != (strcmp(here[a], here[b]) == 0))
                return syn_bad_input("tune: the launcher divides the ranks among hosts in another "
                                     "way than the trace's run did");
    }
    if (is_renamed)
        syn_bad_input("tune: these are other hosts than the trace's");
    return 0;
}

static int add_item(struct tune_session *session, const struct tune_group *group)
{
    struct tune_item *item = &session->item[session->count++];
    const char *refused = NULL, *name = syn_op_name(group->op);
    *item = (struct tune_item){.group = group, .result = NAN};
    if (group->op >= SYN_ROW_NEIGHBOR_ALLGATHER || group->op == SYN_ROW_ALLTOALLW) {
        item->why = "this operation is not measured";
        return 0;
    }
    for (size_t i = 0; name[i + 4] && i + 1 < sizeof item->op; i++)
        item->op[i] = (char)tolower((unsigned char)name[i + 4]);
    item->candidate = calloc(TUNE_CANDIDATES, sizeof *item->candidate);
    if (!item->candidate)
        return failed(SYN_ENOMEM, NULL);
    item->count = tune_candidates(&session->offers, item->op, item->candidate, &refused);
    if (refused)
        tune_list_once(&session->refused, refused);
    if (item->count < 2)
        item->why =
            refused ? "the MPI does not let its variable be changed" : "the MPI offers no choice";
    return 0;
}

static int choose_items(struct tune_session *session)
{
    int status = 0;
    session->item = calloc(TUNE_ITEMS, sizeof *session->item);
    if (!session->item)
        return failed(SYN_ENOMEM, NULL);
    for (size_t i = 0; i < session->trace->count && session->count < TUNE_ITEMS; i++)
        if (session->trace->group[i].operation_ns >= TUNE_SHARE * session->trace->run_ns &&
            status == SYN_OK)
            status = add_item(session, &session->trace->group[i]);
    return status;
}

/* ---- a launch ---- */

/* The candidates that a launch measures. ADVICE: the advised ones, set by the environment of the
 * launch. */
enum which { ALL, NOW, OTHERS, ADVICE };

static bool is_in_launch(const struct tune_item *item, size_t candidate, enum which which)
{
    const bool is_in = item->candidate[candidate].state == TUNE_IN;
    return which == ADVICE ? tune_is_advised(item) && candidate == item->best
                           : !item->why && (which == NOW      ? candidate == 0
                                            : which == OTHERS ? candidate > 0 && is_in
                                                              : is_in);
}

/* Adds a group to a plan: groups and sets have the numbers of items and candidates. Returns false
 * if none of its candidates is in the launch. */
static bool plan_item(const struct tune_session *session, size_t number, bool even,
                      enum which which, struct syn_text *plan)
{
    struct tune_item *item = &session->item[number];
    const struct tune_group *group = item->group;
    const size_t patterns = even ? 1 : syn_largest(group->pattern_count, (size_t)1);
    const int64_t most =
        syn_largest((int64_t)(SPREAD_MOST * group->median_ns), (int64_t)SPREAD_LEAST);
    struct syn_text sets = {0};
    size_t count = 0;
    for (size_t i = 0; i < item->count; i++)
        if (is_in_launch(item, i, which)) {
            item->candidate[i].median_ns = NAN;
            syn_text_format(&sets, "%zu %s\n", i, which == ADVICE ? "-" : item->candidate[i].set);
            count++;
        }
    if (count > 0)
        syn_text_format(plan, "%zu %d %d %llu %.0f %zu %zu\n", number, group->op,
                        syn_largest(group->root, 0), (unsigned long long)group->bytes,
                        fmax(group->median_ns, 1000), patterns, count);
    for (int32_t r = 0; r < session->trace->rank_count && count > 0; r++)
        syn_text_format(plan, "%d %d ", group->place[r].comm, group->place[r].rank);
    for (size_t k = 0; k < patterns && count > 0; k++)
        for (int32_t r = 0; r < session->trace->rank_count; r++) {
            const bool is_late = !even && k < group->pattern_count && group->place[r].comm >= 0;
            const size_t at = k * group->comm_size + (size_t)group->place[r].rank;
            syn_text_format(plan, "%lld ",
                            is_late ? (long long)syn_least(group->arrival[at], most) : 0);
        }
    syn_text_add(plan, &sets);
    syn_text_free(&sets);
    return count > 0;
}

static void put_out(const struct tune_item *item, struct tune_candidate *candidate,
                    enum tune_state state, struct syn_text *list)
{
    char name[3 * TUNE_NAME_BYTES];
    candidate->state = state;
    snprintf(name, sizeof name, "%s of %s", candidate->label, syn_op_name(item->group->op));
    tune_list_once(list, name);
}

/* Takes a line of the answer. `last` gets the item and the candidate that began last. launch < 0:
 * the launch does not decide. */
static void take_line(struct tune_session *session, const char *line, int launch, size_t last[2])
{
    double kept, dropped, operation_ns, inside_ns, row_ns;
    size_t group, set;
    char what;
    const int fields = sscanf(line, "%c\t%zu\t%zu\t%lf\t%lf\t%lf\t%lf\t%lf", &what, &group, &set,
                              &kept, &dropped, &operation_ns, &inside_ns, &row_ns);
    if (fields < 3 || group >= session->count || set >= session->item[group].count)
        return;
    struct tune_item *item = &session->item[group];
    struct tune_candidate *candidate = &item->candidate[set];
    if (what == 'S') {
        last[0] = group;
        last[1] = set;
    } else if (what == 'R' && set > 0)
        put_out(item, candidate, TUNE_REFUSED, &session->refused);
    else if (what == 'W')
        put_out(item, candidate, TUNE_WRONG, &session->wrong);
    else if (what == 'B' && candidate->state == TUNE_IN && fields == 8) {
        item->kept += (uint64_t)kept;
        item->dropped += (uint64_t)dropped;
        candidate->median_ns = operation_ns;
        if (launch >= 0) {
            candidate->log_ns[launch] = log(fmax(operation_ns, 1));
            candidate->log_inside[launch] = log(fmax(inside_ns, 1));
            candidate->log_row[launch] = log(fmax(row_ns, 1));
        }
    }
}

/* Makes a launch of the remaining candidates. If a candidate ends the program, launches again
 * without it. Returns 0, or an exit status after a line on stderr. */
static int launch_some(struct tune_session *session, const char *settings, double seconds,
                       int launch, enum which which)
{
    const bool even = session->even || (launch < 0 && which != ADVICE);
    int status = SYN_ETRANSPORT;
    for (int broken = 1; broken <= BROKEN_MOST && status == SYN_ETRANSPORT; broken++) {
        struct syn_text groups = {0}, plan = {0}, why = {0};
        char *answer = NULL, *line;
        size_t last[2] = {0}, count = 0;
        for (size_t i = 0; i < session->count; i++)
            count += plan_item(session, i, even, which, &groups);
        syn_text_format(&plan, "%d %.0f %ld %zu\n", session->trace->rank_count, 1000 * seconds,
                        session->seed++, count);
        syn_text_add(&plan, &groups);
        session->launch_count++;
        syn_progress_update(&session->progress, difftime(time(NULL), session->begun),
                            1.2 * session->budget_s);
        status = tune_launch(&session->launcher, settings, &plan, &answer, &why);
        for (char *rest = answer; (line = strsep(&rest, "\n"));)
            take_line(session, line, launch, last);
        struct tune_item *item = &session->item[last[0]];
        if (status == SYN_ETRANSPORT && last[1] > 0 && broken < BROKEN_MOST)
            put_out(item, &item->candidate[last[1]], TUNE_BROKEN, &session->broken);
        else if (status != SYN_OK) {
            syn_progress_end(&session->progress);
            status = failed(status, &why);
        }
        syn_text_free(&groups);
        syn_text_free(&plan);
        syn_text_free(&why);
        free(answer);
    }
    return status;
}

/* Launches all remaining candidates. Open MPI reads a rules file when it starts, and gives it
 * precedence over the variables. So if one is in force, the present setting needs a launch of its
 * own, before or after the others. */
static int launch_all(struct tune_session *session, double seconds, int launch)
{
    const char *now =
        tune_offers_find(&session->offers, TUNE_RULES) ? TUNE_OPEN_MPI TUNE_RULES "=1" : "";
    int status = 0;
    if (!tune_offers_have_rules(&session->offers))
        return launch_some(session, now, seconds, launch, ALL);
    for (int i = 0; i < 2 && status == SYN_OK; i++)
        status = (i + launch) % 2 == 0
                     ? launch_some(session, now, seconds, launch, NOW)
                     : launch_some(session,
                                   TUNE_OPEN_MPI TUNE_RULES "=1 " TUNE_OPEN_MPI TUNE_RULES_FILE
                                                            "=/dev/null",
                                   seconds, launch, OTHERS);
    return status;
}

/* A variable holds for all sizes of an operation, so a candidate that one of its groups keeps is
 * kept in all of them. */
static void keep_together(struct tune_session *session)
{
    for (size_t i = 0; i < session->count; i++)
        for (size_t k = 0; k < session->count; k++) {
            struct tune_item *a = &session->item[i], *b = &session->item[k];
            for (size_t c = 0; c < a->count && c < b->count && strcmp(a->op, b->op) == 0; c++)
                if (a->candidate[c].state == TUNE_IN && b->candidate[c].state == TUNE_OUT)
                    b->candidate[c].state = TUNE_IN;
        }
}

/* Returns whether none of several values has an effect. Another component of the MPI may perform
 * the operation then. */
static bool is_without_effect(const struct tune_item *item)
{
    double least = INFINITY, most = 0;
    size_t count = 0;
    for (size_t i = 0; i < item->count; i++) {
        least = fmin(least, item->candidate[i].median_ns);
        most = fmax(most, item->candidate[i].median_ns);
        count += isnan(item->candidate[i].median_ns) ? 0 : 1;
    }
    return count >= EFFECT_VALUES && most < EFFECT_LEAST * least;
}

/* Lists the variable of a candidate as refused. */
static void refuse(struct tune_session *session, const struct tune_candidate *candidate)
{
    char name[TUNE_NAME_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(candidate->set, "="), candidate->set);
    tune_list_once(&session->refused, name);
}

static int screen(struct tune_session *session)
{
    const double seconds = SCREEN_SHARE * session->budget_s;
    int status = launch_all(session, seconds, -2);
    for (size_t i = 0; i < session->count && status == SYN_OK; i++) {
        struct tune_item *item = &session->item[i];
        if (is_without_effect(item))
            refuse(session, &item->candidate[1]);
        tune_halve(item, syn_largest(item->count / 2, (size_t)2));
        if (!item->why)
            item->count = tune_candidates_add_segments(
                &session->offers, item->op, item->group->bytes, item->candidate, item->count);
    }
    if (status == SYN_OK)
        status = launch_all(session, seconds, -1);
    for (size_t i = 0; i < session->count; i++)
        tune_halve(&session->item[i], FINALISTS_MOST);
    if (!tune_offers_find(&session->offers, TUNE_RULES))
        keep_together(session);
    return status;
}

/* ---- all of it ---- */

/* Checks whether programs that start with the advice are nearer to the promised time than to the
 * present one. An item for which they are not loses its advice. */
static int check_advice(struct tune_session *session)
{
    struct syn_text rules = {0}, settings = {0};
    double sum[TUNE_ITEMS] = {0};
    tune_settings(session, &settings);
    if (!tune_write_rules(session, &rules))
        syn_bad_input("tune: the rules file that is in force cannot be read, and is left");
    int status = rules.length ? syn_output_text(session->rules_path, &rules) : 0;
    for (int launch = 0; launch < CHECK_LAUNCHES && status == SYN_OK; launch++) {
        status = launch_some(session, syn_text_chars(&settings), CHECK_SHARE * session->budget_s,
                             -1, ADVICE);
        for (size_t i = 0; i < session->count; i++)
            if (tune_is_advised(&session->item[i]))
                sum[i] += log(session->item[i].candidate[session->item[i].best].median_ns);
    }
    for (size_t i = 0; i < session->count && status == SYN_OK; i++) {
        struct tune_item *item = &session->item[i];
        if (!tune_is_advised(item))
            continue;
        const struct tune_candidate *best = &item->candidate[item->best];
        if (!(sum[i] / CHECK_LAUNCHES < log(best->promise.now_ns) + log(best->promise.ratio) / 2)) {
            refuse(session, best);
            item->why = "a program that starts with the advice is not faster by it";
        }
    }
    syn_text_free(&rules);
    syn_text_free(&settings);
    return status;
}

int tune_session_run(struct tune_session *session)
{
    size_t choices = 0;
    int status = ask(session);
    session->begun = time(NULL);
    syn_progress_start(&session->progress, "measuring");
    if (status == SYN_OK)
        status = check_offers(session);
    if (status == SYN_OK)
        status = choose_items(session);
    session->by_rules = session->rules_path && tune_offers_find(&session->offers, TUNE_RULES);
    for (size_t i = 0; i < session->count; i++)
        choices += !session->item[i].why;
    if (status != SYN_OK || choices == 0)
        return status;
    status = screen(session);
    while (status == SYN_OK && session->decided < TUNE_LAUNCHES &&
           (session->decided < TUNE_LAUNCHES_LEAST ||
            difftime(time(NULL), session->begun) < session->budget_s))
        status = launch_all(session, DECIDE_SHARE * session->budget_s, (int)session->decided++);
    if (status == SYN_OK && tune_judge(session) != SYN_OK)
        status = failed(SYN_ENOMEM, NULL);
    if (status == SYN_OK && tune_advised(session) > 0)
        status = check_advice(session);
    syn_progress_end(&session->progress);
    return status;
}

void tune_session_free(struct tune_session *session)
{
    for (size_t i = 0; i < session->count; i++)
        free(session->item[i].candidate);
    free(session->item);
    tune_offers_free(&session->offers);
    syn_text_free(&session->refused);
    syn_text_free(&session->wrong);
    syn_text_free(&session->broken);
}
