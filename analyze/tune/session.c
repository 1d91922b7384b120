/* analyze/tune/session.c - decides which candidates are measured when. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/print/command.h"
#include "analyze/print/output.h"
#include "analyze/runs.h"
#include "analyze/tune/tune.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"

#define FINALISTS_MOST 3
#define SCREEN_SHARE   0.15 /* share of the time for each launch that screens */
#define DECIDE_SHARE   0.1  /* for each launch that decides */
#define CHECK_SHARE    0.06 /* for each launch that checks the advice */
#define CHECK_LAUNCHES 3
#define EFFECT_VALUES  4   /* least number of values that show an effect */
#define EFFECT_LEAST   1.1 /* least ratio of the slowest to the fastest */

/* ---- what there is to try ---- */

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

static void add_item(struct tune_session *session, const struct tune_group *group)
{
    struct tune_item *item = &session->item[session->count++];
    const char *name = syn_op_name(group->op);
    item->group = group;
    item->result = item->result_now_ns = NAN;
    if (group->op >= SYN_ROW_NEIGHBOR_ALLGATHER || group->op == SYN_ROW_ALLTOALLW) {
        item->why = "this operation is not measured";
        return;
    }
    for (size_t i = 0; name[i + 4] && i + 1 < sizeof item->op; i++)
        item->op[i] = (char)tolower((unsigned char)name[i + 4]);
    const char *refused = tune_candidates(&session->offers, item);
    if (refused)
        tune_list_once(&session->refused, refused);
    if (item->count < 2)
        item->why =
            refused ? "the MPI does not let its variable be changed" : "the MPI offers no choice";
}

static int choose_items(struct tune_session *session)
{
    const struct tune_trace *trace = session->trace;
    session->item = calloc(TUNE_ITEMS, sizeof *session->item);
    if (!session->item)
        return syn_bad_status(SYN_ENOMEM, NULL);
    for (size_t i = 0; i < trace->count && session->count < TUNE_ITEMS; i++)
        if (trace->group[i].operation_ns >= TUNE_SHARE * trace->run_ns)
            add_item(session, &trace->group[i]);
    return 0;
}

/* ---- launches ---- */

/* Launches all remaining candidates. Open MPI reads a rules file when it starts, and gives it
 * precedence over the variables. So if one is in force, the present setting needs a launch of its
 * own, before or after the others. */
static int launch_all(struct tune_session *session, double seconds, int launch)
{
    const char *now =
        tune_offers_find(&session->offers, TUNE_RULES) ? TUNE_OPEN_MPI TUNE_RULES "=1" : "";
    int status = 0;
    if (!tune_offers_have_rules(&session->offers))
        return tune_launch(session, now, seconds, launch, TUNE_ALL);
    for (int i = 0; i < 2 && status == SYN_OK; i++)
        status = (i + launch) % 2 == 0
                     ? tune_launch(session, now, seconds, launch, TUNE_NOW)
                     : tune_launch(session,
                                   TUNE_OPEN_MPI TUNE_RULES "=1 " TUNE_OPEN_MPI TUNE_RULES_FILE
                                                            "=/dev/null",
                                   seconds, launch, TUNE_OTHERS);
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
    int status = launch_all(session, seconds, TUNE_SCREENS);
    for (size_t i = 0; i < session->count && status == SYN_OK; i++) {
        struct tune_item *item = &session->item[i];
        if (is_without_effect(item))
            refuse(session, &item->candidate[1]);
        tune_halve(item, syn_largest(item->count / 2, (size_t)2));
        if (!item->why)
            tune_add_segments(&session->offers, item);
    }
    SYN_STEP(status, launch_all(session, seconds, TUNE_SCREENS));
    for (size_t i = 0; i < session->count; i++)
        tune_halve(&session->item[i], FINALISTS_MOST);
    if (!tune_offers_find(&session->offers, TUNE_RULES))
        keep_together(session);
    return status;
}

/* ---- all of it ---- */

/* Checks whether programs that start with the advice are as fast by it as by the variables that are
 * set in them: nearer to that than to the present setting. An item for which they are not loses its
 * advice. */
static int check_advice(struct tune_session *session)
{
    SYN_CLEANUP(syn_text_free) struct syn_text rules = {0}, settings = {0};
    double log_ratio[TUNE_ITEMS] = {0};
    tune_shell_settings(session, &settings);
    if (!tune_write_rules(session, &rules))
        syn_bad_input("tune: the rules file that is in force cannot be read, and is left");
    int status = rules.length ? syn_output_text(session->rules_path, &rules) : 0;
    for (int i = 0; i < CHECK_LAUNCHES && status == SYN_OK; i++) {
        status = tune_launch(session, syn_text_chars(&settings), CHECK_SHARE * session->budget_s,
                             TUNE_CHECKS, TUNE_ADVICE);
        for (struct tune_item *item = NULL; (item = tune_next_advised(session, item));)
            log_ratio[item - session->item] +=
                log(item->candidate->median_ns / item->candidate[item->best].median_ns);
    }
    for (struct tune_item *item = NULL; (item = tune_next_advised(session, item));) {
        const struct tune_candidate *best = &item->candidate[item->best];
        if (status == SYN_OK &&
            !(log_ratio[item - session->item] / CHECK_LAUNCHES < -log(best->promise.ratio) / 2)) {
            refuse(session, best);
            tune_give_up(item, "a program that starts with the advice is not faster by it");
        }
    }
    return status;
}

int tune_session_run(struct tune_session *session)
{
    size_t choices = 0;
    int status = tune_ask(session);
    session->begun = time(NULL);
    syn_progress_start(&session->progress, "measuring");
    SYN_STEP(status, check_offers(session));
    SYN_STEP(status, choose_items(session));
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
        status = syn_bad_status(SYN_ENOMEM, NULL);
    if (status == SYN_OK && tune_next_advised(session, NULL))
        status = check_advice(session);
    syn_progress_end(&session->progress);
    return status;
}

void tune_session_free(struct tune_session *session)
{
    free(session->item);
    tune_offers_free(&session->offers);
    syn_text_free(&session->refused);
    syn_text_free(&session->wrong);
    syn_text_free(&session->broken);
}
