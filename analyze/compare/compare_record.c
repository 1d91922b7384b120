/* analyze/compare/compare_record.c - makes runs of A and B in turn.
 *
 * RATIONALE: a process of its own, `syncopate record`, makes each run. So the changes that one
 * command needs in the environment (variables for a launcher) cannot affect the next one. */
#include "analyze/compare/compare_record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/compare/compare.h"
#include "analyze/doc/say.h"
#include "analyze/print/command.h"
#include "analyze/record/experiment.h"
#include "analyze/record/input.h"
#include "analyze/record/run.h"
#include "analyze/stats/samples/bootstrap.h"
#include "sync/base/status.h"
#include "trace/directory/manifest.h"

struct session {
    const struct syn_compare_plan *plan;
    unsigned char *side; /* [2 * run_count] */
    struct record_experiment experiment[2];
    char directory[2][PATH_MAX];
    int output[2];               /* file descriptors of output-a.txt and output-b.txt */
    int claim[2];                /* file descriptors that hold the directories */
    struct record_series ratios; /* B over A, for each pair */
    double started_s;
    bool reached; /* the precision that --until asks for */
};

void syn_compare_order(uint64_t seed, size_t pair_count, unsigned char *side)
{
    struct syn_random random;
    syn_random_seed(&random, seed);
    size_t odd = (size_t)syn_random_below(&random, 2);
    for (size_t i = 0; i < pair_count;
         i++) /* half of the pairs (rounded up or down) start with A */
        side[2 * i] = (i + odd) % 2;
    for (size_t i = pair_count; i > 1; i--) {
        size_t j = (size_t)syn_random_below(&random, i);
        unsigned char kept = side[2 * (i - 1)];
        side[2 * (i - 1)] = side[2 * j];
        side[2 * j] = kept;
    }
    for (size_t i = 0; i < pair_count; i++)
        side[2 * i + 1] = !side[2 * i];
}

/* ---- the directory ---- */

static int cannot(const char *path)
{
    return syn_bad_input("%s: %s", path, strerror(errno));
}

static int prepare_side(struct session *session, int side)
{
    const char *directory = session->plan->directory;
    char path[PATH_MAX];
    snprintf(session->directory[side], PATH_MAX, "%.4000s/%c", directory, 'a' + side);
    int status = syn_trace_claim(session->directory[side], &session->claim[side]);
    if (status == SYN_EINVAL)
        return syn_bad_input("%s: in the way is something that is not an experiment (%s); name "
                             "another directory with -o",
                             session->directory[side], strerror(errno));
    if (status != SYN_OK)
        return syn_bad_input("%s: %s", session->directory[side], syn_trace_prepare_text(errno));
    snprintf(path, sizeof path, "%.4000s/output-%c.txt", directory, 'a' + side);
    session->output[side] = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return session->output[side] < 0 ? cannot(path) : 0;
}

static int write_order(const struct session *session)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/comparison", session->plan->directory);
    FILE *file = fopen(path, "we");
    if (!file)
        return cannot(path);
    fprintf(file, "syncopate-comparison 1\nseed %llu\norder ",
            (unsigned long long)session->plan->seed);
    for (int i = 0; i < 2 * session->experiment[0].planned_count; i++)
        fputc('a' + session->side[i], file);
    fputc('\n', file);
    return fclose(file) == 0 ? 0 : cannot(path);
}

/* ---- one run ---- */

static char **command_of(const struct session *session, int side, char *directory)
{
    char **words = session->plan->command[side];
    size_t count = 0;
    while (words[count])
        count++;
    char **command = malloc((count + 7) * sizeof *command);
    static char self[] = "/proc/self/exe", record[] = "record", quiet[] = "-q", output[] = "-o",
                dashes[] = "--";
    if (!command)
        return NULL;
    char *const first[] = {self, record, quiet, output, directory, dashes};
    memcpy(command, first, sizeof first);
    memcpy(command + 6, words, (count + 1) * sizeof *words);
    return command;
}

static void restore(int kept)
{
    if (kept < 0) {
        close(STDOUT_FILENO);
        return;
    }
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

static int start(struct session *session, int side, char *directory, struct record_run *out)
{
    SYN_FREED char **command = command_of(session, side, directory);
    int kept;
    if (!command)
        return SYN_ENOMEM;
    /* Redirect the standard output of the run. `kept` is the previous one; -1: it was closed. */
    fflush(stdout);
    kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(session->output[side], STDOUT_FILENO);
    record_input_rewind();
    int status = record_run(command, NULL, out);
    restore(kept);
    return status;
}

static bool has_rule(const struct session *session)
{
    return session->plan->until.share > 0 || session->plan->until.budget_s > 0;
}

static const char *at_most(const struct session *session)
{
    return has_rule(session) ? "at most " : "";
}

/* Makes the next run; `done` runs are made. Returns 0, or the exit status after an error line. */
static int make_run(struct session *session, int done)
{
    int side = session->side[done];
    struct record_experiment *experiment = &session->experiment[side];
    struct record_run *run = &experiment->runs[experiment->done_count];
    char directory[PATH_MAX + 32], name[32];
    struct stat facts;
    record_run_name(name, sizeof name, experiment->done_count + 1);
    snprintf(directory, sizeof directory, "%s/%s", session->directory[side], name);
    char left[64];
    const struct record_experiment *a = &session->experiment[0], *b = &session->experiment[1];
    if (!session->plan->quiet && isatty(STDERR_FILENO)) {
        /* a side without runs counts as long as the other one */
        double a_left = record_experiment_left_s(a), b_left = record_experiment_left_s(b);
        double seconds = a->done_count && b->done_count ? a_left + b_left : 2 * (a_left + b_left);
        record_format_seconds(left, sizeof left, seconds);
        const bool tells = done && !(session->plan->until.budget_s > 0);
        fprintf(stderr, "syncopate: run %d of %s%d (%c)%s%s%s%s\n", done + 1, at_most(session),
                2 * session->plan->run_count, 'A' + session->side[done], tells ? ", " : "",
                !tells              ? ""
                : has_rule(session) ? "at most "
                                    : "about ",
                tells ? left : "", tells ? " left" : "");
    }
    if (start(session, side, directory, run) != SYN_OK || run->exec_errno)
        return syn_bad_input("compare: cannot start a run: %s",
                             strerror(run->exec_errno ? run->exec_errno : errno));
    if (run->exit_status || run->interrupted) {
        char how[64] = "was interrupted";
        if (!run->interrupted)
            snprintf(how, sizeof how, "ended with status %d", run->exit_status);
        syn_bad_input("compare stopped: run %d of %c %s; the runs before it are in %s",
                      experiment->done_count + 1, 'A' + side, how, session->plan->directory);
        return run->interrupted && run->exit_status > 128 ? run->exit_status : SYN_EXIT_BAD;
    }
    if (stat(directory, &facts) != 0)
        return syn_bad_input("compare stopped: run %d of %c left no trace",
                             experiment->done_count + 1, 'A' + side);
    experiment->done_count++;
    return record_experiment_write(experiment) == SYN_OK ? 0 : cannot(experiment->directory);
}

/* ---- when to stop ---- */

/* Looks at the pair of that number, from 1 on. Sets *last if no further pair is needed. Returns 0,
 * or the exit status after an error line. */
static int look(struct session *session, int pair, bool *last)
{
    const struct record_until *until = &session->plan->until;
    double ratio[SYN_TOTAL_COUNT];
    int status = 0;
    if (until->share > 0) {
        double total_ns[2][SYN_TOTAL_COUNT];
        for (int side = 0; side < 2 && status == SYN_OK; side++) {
            SYN_FREED char *why = NULL;
            char directory[PATH_MAX + 32], name[32];
            record_run_name(name, sizeof name, pair);
            snprintf(directory, sizeof directory, "%s/%s", session->directory[side], name);
            if (record_totals_read(directory, total_ns[side], &why) != 0)
                status =
                    syn_bad_input("compare stopped: %s", why ? why : syn_status_text(SYN_ENOMEM));
        }
        for (int total = 0; total < SYN_TOTAL_COUNT && status == SYN_OK; total++)
            ratio[total] = total_ns[0][total] > 0 ? total_ns[1][total] / total_ns[0][total] : 0;
    }
    if (status == SYN_OK && until->share > 0 && record_series_add(&session->ratios, ratio) != 0)
        status = syn_bad_input("compare: %s", syn_status_text(SYN_ENOMEM));
    session->reached = record_until_is_reached(until, &session->ratios);
    *last = session->reached ||
            record_until_is_spent(until, record_now_s() - session->started_s, (size_t)pair);
    return status;
}

/* ---- all runs ---- */

static int begin_session(struct session *session, const struct syn_compare_plan *plan)
{
    *session = (struct session){
        .plan = plan, .output = {-1, -1}, .claim = {-1, -1}, .started_s = record_now_s()};
    session->side = malloc(2 * (size_t)plan->run_count);
    for (int side = 0; side < 2; side++)
        session->experiment[side] = (struct record_experiment){
            .directory = session->directory[side],
            .command = plan->command[side],
            .started_unix_ns = record_unix_ns(),
            .planned_count = plan->run_count,
            .runs = calloc((size_t)plan->run_count, sizeof(struct record_run))};
    if (!session->side || !session->experiment[0].runs || !session->experiment[1].runs)
        return syn_bad_input("compare: %s", syn_status_text(SYN_ENOMEM));
    syn_compare_order(plan->seed, (size_t)plan->run_count, session->side);
    const char *directory = session->plan->directory;
    if (syn_trace_is_at(directory))
        return syn_bad_input("%s: is a trace; name another directory with -o", directory);
    if (syn_trace_is_in(directory))
        return syn_bad_input("%s: %s; name another directory with -o", directory,
                             syn_trace_prepare_text(ENOTSUP));
    int status = prepare_side(session, 0);
    SYN_STEP(status, prepare_side(session, 1));
    return status != SYN_OK ? status : write_order(session);
}

static int make_pair(struct session *session, int pair)
{
    int status = 0;
    for (int done = 2 * (pair - 1); done < 2 * pair && status == SYN_OK; done++) {
        /* After the first pair, say how long the rest will take, if stderr is no terminal. */
        char left[64];
        if (!session->plan->quiet && !isatty(STDERR_FILENO) && done == 2 &&
            !(session->plan->until.budget_s > 0)) {
            record_format_seconds(left, sizeof left,
                                  record_experiment_left_s(&session->experiment[0]) +
                                      record_experiment_left_s(&session->experiment[1]));
            fprintf(stderr, "syncopate: 2 of %s%d runs made, %s %s left\n", at_most(session),
                    2 * session->plan->run_count, *at_most(session) ? "at most" : "about", left);
        }
        status = make_run(session, done);
    }
    return status;
}

/* Records pair after pair until all are made or the rule ends. If the rule ends, the files list
 * only the runs that were made. */
int syn_compare_record(const struct syn_compare_plan *plan)
{
    struct session session;
    bool last = false;
    int status = record_input_keep() != SYN_OK ? SYN_EXIT_BAD : SYN_OK;
    if (status != SYN_OK)
        return status;
    status = begin_session(&session, plan);
    if (status == SYN_OK && !plan->quiet)
        syn_bad_input("%s%d run%s a side in random order, seed %llu", at_most(&session),
                      plan->run_count, plan->run_count == 1 ? "" : "s",
                      (unsigned long long)plan->seed);
    for (int pair = 1; pair <= plan->run_count && status == SYN_OK && !last; pair++) {
        status = make_pair(&session, pair);
        if (status == SYN_OK && has_rule(&session))
            status = look(&session, pair, &last);
        if (status == SYN_OK && last) {
            /* There are fewer runs than planned: correct the files. */
            for (int side = 0; side < 2 && status == SYN_OK; side++) {
                struct record_experiment *experiment = &session.experiment[side];
                experiment->planned_count = pair;
                if (record_experiment_write(experiment) != SYN_OK)
                    status = cannot(experiment->directory);
            }

            status = status != SYN_OK ? status : write_order(&session);
        }
    }
    if (status == SYN_OK) {
        const struct record_until *until = &session.plan->until;
        struct syn_text words = {0};
        if (!session.plan->quiet) {
            if (until->share > 0) {
                syn_words(&words, "{n} run{s} a side{text}, B/A of ",
                          session.experiment[0].done_count,
                          session.reached ? "" : ", and no more are allowed");
                record_until_words(until, &session.ratios, true, &words);
                syn_words(&words, "; wanted was {percent}", until->share);
                syn_bad_input("%s", syn_text_chars(&words));
            }
            syn_bad_input("recorded in %s, the programs' output too", session.plan->directory);
            syn_text_free(&words);
        }
    }
    for (int side = 0; side < 2; side++) {
        if (session.output[side] >= 0)
            close(session.output[side]);
        syn_trace_release(session.claim[side]);
        free(session.experiment[side].runs);
    }
    record_series_free(&session.ratios);
    free(session.side);
    return status;
}
