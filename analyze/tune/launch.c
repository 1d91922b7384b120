/* analyze/tune/launch.c - starts the measuring program through the user's launcher, gives it a plan
 * and takes its answer. preload/tune/measure.c describes both. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/print/command.h"
#include "analyze/record/environment.h"
#include "analyze/record/run.h"
#include "analyze/runs.h"
#include "analyze/tune/tune.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"

#define SILENCE_S    60 /* seconds without output after which the launch is ended */
#define BROKEN_MOST  16
#define SPREAD_MOST  20      /* in operation times: limit of a planned arrival after the first */
#define SPREAD_LEAST 2000000 /* ns; lower bound of that limit */

/* ---- a launch ---- */

/* Finds the measuring program for the MPI that the trace names ("Open MPI v4.1.4", "MPICH Version:
 * ..."), in the directory of libsyncopate.so. Returns 0, or SYN_EXIT_BAD after a line on stderr. */
static int find_program(struct tune_session *session)
{
    char library[4096];
    const char *mpi =
        session->trace->mpi ? session->trace->mpi : "an MPI that the trace does not name";
    const char *name = strstr(mpi, "Open MPI") ? "openmpi" : strstr(mpi, "MPICH") ? "mpich" : NULL;
    if (!name)
        return syn_bad_input("tune: nothing is known of the algorithms of %s", mpi);
    if (record_library_find(library, sizeof library) != SYN_OK)
        return syn_bad_input("tune: libsyncopate.so is not found, nor is what lies beside it");
    *strrchr(library, '/') = '\0';
    snprintf(session->program, sizeof session->program, "%.4000s/syncopate-tune-%s", library, name);
    if (access(session->program, X_OK) != 0)
        return syn_bad_input("%s: %s; it is built where the MPI's header is found",
                             session->program, strerror(errno));
    return 0;
}

struct watched {
    int file;
    off_t bytes;
    int silent_s;
};

/* Is called each second. Returns the signal to send if the program has been silent for too long,
 * else 0. */
static int watch(void *ctx)
{
    struct watched *watched = ctx;
    const off_t bytes = lseek(watched->file, 0, SEEK_END);
    watched->silent_s = bytes == watched->bytes ? watched->silent_s + 1 : 0;
    watched->bytes = bytes;
    return watched->silent_s > SILENCE_S + 5 ? SIGKILL
           : watched->silent_s > SILENCE_S   ? SIGTERM
                                             : 0;
}

/* Appends the first line that contains words. */
static void first_words(FILE *file, struct syn_text *out)
{
    char line[256];
    while (fgets(line, sizeof line, file))
        if (strspn(line, "- \t\n") < strlen(line)) {
            line[strcspn(line, "\n")] = '\0';
            syn_text_string(out, line);
            return;
        }
    syn_text_string(out, "it said nothing");
}

/* Runs "env SETTINGS LAUNCHER PROGRAM" with `plan` as its input; settings: "NAME=VALUE ...".
 * *answer: its output, also after a failure; the caller frees it. Returns 0; or another status with
 * the reason appended to `why`: SYN_ETRANSPORT if the program failed or was silent. */
static int start(const struct tune_session *session, const char *settings, struct syn_text *plan,
                 char **answer, struct syn_text *why)
{
    FILE *const file[] = {tmpfile(), tmpfile(), tmpfile()};
    struct record_run run = {0};
    SYN_CLEANUP(syn_text_free) struct syn_text line = {0};
    size_t count = 0, capacity = 0;
    int status = SYN_EIO;
    while (session->launcher[count])
        count++;
    SYN_FREED char **command = calloc(count + 6, sizeof *command);
    if (command && file[0] && file[1] && file[2] && fputs(syn_text_chars(plan), file[0]) >= 0 &&
        fflush(file[0]) == 0) {
        struct watched watched = {.file = fileno(file[1])};
        syn_text_format(&line, "exec env %s \"$@\" </dev/fd/%d >/dev/fd/%d 2>/dev/fd/%d", settings,
                        fileno(file[0]), fileno(file[1]), fileno(file[2]));
        const char *const shell[] = {"sh", "-c", syn_text_chars(&line), "sh"};
        memcpy(command, shell, sizeof shell);
        memcpy(command + 4, session->launcher, count * sizeof *command);
        command[4 + count] = (char *)(intptr_t)session->program;
        status = record_run(command, &(struct record_chore){watch, &watched}, &run);
        rewind(file[1]);
        rewind(file[2]);
        if (getdelim(answer, &capacity, '\0', file[1]) < 0 && *answer)
            **answer = '\0';
    }
    SYN_STEP(status, run.interrupted ? SYN_EEND : run.exit_status ? SYN_ETRANSPORT : SYN_OK);
    if (status == SYN_ETRANSPORT) {
        syn_text_string(why, "the launcher failed: ");
        first_words(file[2], why);
    } else
        syn_text_string(why, status == SYN_EEND ? "interrupted" : syn_status_text(status));
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        if (file[i])
            fclose(file[i]);
    return status;
}

int tune_ask(struct tune_session *session)
{
    SYN_CLEANUP(syn_text_free) struct syn_text plan = {0}, why = {0};
    char *answer = NULL;
    int status = find_program(session);
    if (status != SYN_OK)
        return status;
    syn_text_format(&plan, "%d 0 0\n", session->trace->rank_count);
    status = start(session, "", &plan, &answer, &why);
    session->offers.answer = answer;
    if (status != SYN_OK)
        status = syn_bad_input("tune: %s", syn_text_chars(&why));
    else if (tune_offers_read(answer, &session->offers) != SYN_OK)
        status = syn_bad_status(SYN_ENOMEM, NULL);
    return status;
}

/* ---- plans and answers ---- */

static bool is_in_launch(const struct tune_item *item, size_t candidate, enum tune_which which)
{
    const bool is_now = candidate == 0, is_in = item->candidate[candidate].state == TUNE_IN;
    if (which == TUNE_ADVICE)
        return item->verdict == TUNE_BETTER && (is_now || candidate == item->best);
    return !item->why && (is_now ? which != TUNE_OTHERS : which != TUNE_NOW && is_in);
}

/* Adds a group to a plan if one of its candidates is in the launch. Groups and sets have the
 * numbers of items and candidates. */
static void plan_item(struct tune_session *session, size_t number, bool even, enum tune_which which,
                      struct syn_text *plan)
{
    struct tune_item *item = &session->item[number];
    const struct tune_group *group = item->group;
    const size_t patterns = even || group->pattern_count == 0 ? 1 : group->pattern_count;
    const double most = fmax(SPREAD_MOST * group->median_ns, SPREAD_LEAST);
    size_t count = 0;
    for (size_t i = 0; i < item->count; i++)
        count += is_in_launch(item, i, which);
    if (count == 0)
        return;
    syn_text_format(plan, "%zu %d %d %llu %.0f %zu %zu\n", number, group->op,
                    syn_largest(group->root, 0), (unsigned long long)group->bytes,
                    fmax(group->median_ns, 1000), patterns, count);
    for (int32_t r = 0; r < session->trace->rank_count; r++)
        syn_text_format(plan, "%d %d ", group->place[r].comm, group->place[r].rank);
    for (size_t k = 0; k < patterns; k++)
        for (int32_t r = 0; r < session->trace->rank_count; r++) {
            const bool is_late = !even && k < group->pattern_count && group->place[r].comm >= 0;
            const size_t at = k * group->comm_size + (size_t)group->place[r].rank;
            syn_text_format(plan, "%.0f ", is_late ? fmin((double)group->arrival[at], most) : 0);
        }
    for (size_t i = 0; i < item->count; i++)
        if (is_in_launch(item, i, which)) {
            item->candidate[i].median_ns = NAN;
            syn_text_format(plan, "%zu %s\n", i,
                            which == TUNE_ADVICE && i == 0 ? "-" : item->candidate[i].set);
        }
}

static void put_out(const struct tune_item *item, struct tune_candidate *candidate,
                    enum tune_state state, struct syn_text *list)
{
    char name[3 * TUNE_NAME_BYTES];
    candidate->state = state;
    snprintf(name, sizeof name, "%s of %s", candidate->label, syn_op_name(item->group->op));
    tune_list_once(list, name);
}

/* Takes a line of the answer. `last` gets the item and the candidate that began last. */
static void take_line(struct tune_session *session, const char *line, int launch, size_t last[2])
{
    double kept, dropped, ns[TUNE_TIMES];
    size_t group, set;
    char what;
    const int fields = sscanf(line, "%c\t%zu\t%zu\t%lf\t%lf\t%lf\t%lf\t%lf", &what, &group, &set,
                              &kept, &dropped, &ns[TUNE_FRESH], &ns[TUNE_INSIDE], &ns[TUNE_ROW]);
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
        candidate->median_ns = ns[TUNE_FRESH];
        for (int time = 0; time < TUNE_TIMES && launch >= 0; time++)
            candidate->log_ns[time][launch] = log(fmax(ns[time], 1));
    }
}

int tune_launch(struct tune_session *session, const char *settings, double seconds, int launch,
                enum tune_which which)
{
    const bool even = session->even || launch == TUNE_SCREENS;
    int status = SYN_ETRANSPORT;
    for (int broken = 1; broken <= BROKEN_MOST && status == SYN_ETRANSPORT; broken++) {
        SYN_CLEANUP(syn_text_free) struct syn_text plan = {0}, why = {0};
        SYN_FREED char *answer = NULL;
        char *line;
        size_t last[2] = {0};
        syn_text_format(&plan, "%d %.0f %ld\n", session->trace->rank_count, 1000 * seconds,
                        session->seed++);
        for (size_t i = 0; i < session->count; i++)
            plan_item(session, i, even, which, &plan);
        session->launch_count++;
        syn_progress_update(&session->progress, difftime(time(NULL), session->begun),
                            1.2 * session->budget_s);
        status = start(session, settings, &plan, &answer, &why);
        for (char *rest = answer; (line = strsep(&rest, "\n"));)
            take_line(session, line, launch, last);
        struct tune_item *item = &session->item[last[0]];
        if (status == SYN_ETRANSPORT && last[1] > 0 && broken < BROKEN_MOST)
            put_out(item, &item->candidate[last[1]], TUNE_BROKEN, &session->broken);
        else if (status != SYN_OK) {
            syn_progress_end(&session->progress);
            status = syn_bad_input("tune: %s", syn_text_chars(&why));
        }
    }
    return status;
}
