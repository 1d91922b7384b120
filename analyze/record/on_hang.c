/* analyze/record/on_hang.c - the watcher's work each second: read open lines, examine the run,
 * raise an alarm, end the run.
 *
 *     trace is there? --> lines --> a call lasts for `after_s`? --> look --> stuck, or waiting?
 *                           |                                                    |
 *                           +--- that call returned: "goes on"   lines, stacks, SIGTERM <--+
 *
 * A look opens the whole trace, so it takes longer the more was recorded. Looks take at most a
 * twentieth of the time. So does opening the trace until the lines of all ranks are there.
 *
 * Ranks that come to a deadlock one after the other are a deadlock once the last of them has waited
 * for `after_s`, too. Until then the watcher tells nothing if nobody else is waited for. If it has
 * told of a rank outside MPI, it looks again as further calls reach that age. */
#include "analyze/record/on_hang.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyze/hang/page/hang_page.h"
#include "analyze/hang/process.h"
#include "analyze/match/members/experiment.h"
#include "analyze/record/on_hang_parts.h"
#include "analyze/record/run.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/read/open_calls.h"
#include "trace/recover/recover.h"

#define BLOCK_LINES 12
#define BLOCK_WIDTH 100
/* Times after SIGTERM to the launcher: then ranks that remain are sent SIGTERM, and SIGKILL. */
#define PATIENCE_S 3
#define GRACE_S    10
/* Time after the launcher's end, after which ranks that remain are given up. */
#define OUTWAIT_S 60
/* A second that is later than this means that the watcher was suspended. */
#define LATE_S   5
#define NS_PER_S INT64_C(1000000000)
/* After work of some duration, the watcher pauses for this many times that duration. */
#define PAUSE_FACTOR 20

struct record_watcher {
    const char *directory;
    const struct record_on_hang *wish;
    struct syn_hang_options rule;
    struct syn_trace *trace;     /* as it was opened last; NULL: none yet */
    struct syn_open_view **view; /* [syn_trace_size]; NULL: the rank's lines cannot be read */
    bool complete;               /* each rank has a view */
    double next_open_s, next_look_s;
    int32_t alarm_rank; /* the rank whose call raised the alarm that still holds; -1: none */
    uint32_t alarm_thread;
    bool told_stuck;                 /* that alarm said that the run is stuck */
    size_t long_count, looked_count; /* calls that last for `after_s`: now, and at the last look */
    double tick_s;                   /* end of the last second's work; 0: none yet */
    double whole_s;  /* time since which neither the run nor the watcher was suspended */
    double killed_s; /* when SIGTERM was sent; 0: not sent */
    bool told_ranks; /* SIGTERM was sent to the ranks, too */
    int speaker;     /* process to whose stderr the watcher writes; 0: its own */
    int *pid;        /* [pid_count], processes of ranks on this machine */
    size_t pid_count, pid_capacity;
    bool has_run;       /* beside a rank: the run to watch is known, by */
    uint8_t run_id[16]; /* its identity */
};

/* ---- a look at the whole run ---- */

/* Opens the trace in `directory`, or that of its last run. NULL: no trace can be read. */
static struct syn_trace *open_last(const char *directory)
{
    char *const path = (char *)directory;
    char *why = NULL;
    SYN_CLEANUP(syn_experiment_free) struct syn_experiment runs = {0};
    struct syn_trace *trace = NULL;
    int status = syn_experiment_list(&path, 1, &runs, &why);
    SYN_STEP(status, syn_run_open(&runs.run[runs.count - 1], &trace, &why));
    if (status != SYN_OK)
        free(why);
    return status == SYN_OK ? trace : NULL;
}

static void end_sight(struct record_sight *sight)
{
    syn_sight_end(&sight->of);
    syn_trace_close(sight->trace);
    syn_trace_close(sight->before);
}

/* Examines the run. `live`: opens the trace twice, one time after the other (look.h). `match`: also
 * compares the calls of all instances. Returns 0 or a negative status; call end_sight in any case.
 */
static int begin_sight(struct record_sight *sight, const char *directory,
                       const struct syn_hang_options *rule, bool live, bool match)
{
    *sight = (struct record_sight){.before = live ? open_last(directory) : NULL};
    sight->trace = live && !sight->before ? NULL : open_last(directory);
    return sight->trace
               ? syn_sight_begin(&sight->of, sight->trace, sight->before, NULL, rule, match)
               : SYN_EMISSING;
}

static struct syn_text page_of(const struct record_sight *sight, size_t width)
{
    const struct syn_terminal terminal = {.width = width};
    SYN_CLEANUP(syn_doc_free) struct syn_doc doc = syn_doc_start(SYN_DOC_TEXT, &terminal);
    struct syn_text page = {0};
    syn_hang_write(&doc, &sight->of.examination);
    syn_doc_write(&doc, &page);
    return page;
}

/* Finds the next line of a page, from *at on, that is neither empty nor the heading. Returns its
 * length; 0: there is none. */
static int next_line(const char **at, const char **line)
{
    int length = 0;
    for (; **at && length == 0; *at += length + ((*at)[length] == '\n')) {
        *line = *at;
        length = (int)strcspn(*at, "\n");
        if (length == 4 && strncmp(*at, "Hang", 4) == 0) {
            *at += length;
            length = 0;
        }
    }
    return length;
}

void record_say_waited_for(const char *directory)
{
    struct syn_hang_options rule = SYN_HANG_OPTIONS;
    struct record_sight sight;
    rule.floor_ns = rule.least_ns; /* whoever ended the run found that it took too long */
    int status = begin_sight(&sight, directory, &rule, false, false);
    /* Open calls show that ranks disagree. Who is in the minority depends on returned ones, too. */
    if (status == SYN_OK && sight.of.examination.mismatches.count > 0) {
        end_sight(&sight);
        status = begin_sight(&sight, directory, &rule, false, true);
    }
    if (status == SYN_OK && sight.of.examination.has_hang) {
        const struct syn_hang *hang = &sight.of.examination.hang;
        if (hang->state == SYN_HANG_IS_STUCK || hang->cycle_count > 0 ||
            (hang->absent_count > 0 && hang->absent->root)) {
            /* Print the headline, then the circle or the first disagreement. */
            const struct syn_examination *of = &sight.of.examination;
            SYN_CLEANUP(syn_text_free) struct syn_text page = page_of(&sight, SIZE_MAX / 2);
            const char *at = syn_text_chars(&page), *line = "";
            int length = next_line(&at, &line);
            fprintf(stderr, "syncopate: %.*s\n", length, line);
            if (of->hang.cycle_count < 2 && of->mismatches.count > 0)
                (void)next_line(&at, &line); /* the heading of the disagreements */
            if (of->hang.cycle_count > 1 || of->mismatches.count > 0) {
                length = next_line(&at, &line);
                const int margin = (int)strspn(line, " -");
                fprintf(stderr, "syncopate: %.*s\n", length - margin, line + margin);
            }
        }
    }
    end_sight(&sight);
}

/* ---- output ---- */

/* Writes the text to the speaker's stderr, and frees it. RATIONALE: a rank's stderr is often a pipe
 * that the launcher reads until no process has it open. So the watcher opens it for each text,
 * through a rank that has it open, and does not wait for it. */
static void speak(const struct record_watcher *watcher, struct syn_text *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/2", watcher->speaker);
    const int out = watcher->speaker
                        ? open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                        : STDERR_FILENO;
    const char *bytes = syn_text_chars(text);
    ssize_t done = 0;
    for (size_t at = 0; out >= 0 && at < text->length && done >= 0; at += (size_t)done)
        done = write(out, bytes + at, text->length - at);
    if (out > STDERR_FILENO)
        close(out);
    syn_text_free(text);
}

/* ---- open lines ---- */

static void close_views(struct record_watcher *watcher)
{
    const int32_t ranks = watcher->trace ? syn_trace_size(watcher->trace) : 0;
    for (int32_t r = 0; watcher->view && r < ranks; r++)
        syn_open_view_free(watcher->view[r]);
    free(watcher->view);
    syn_trace_close(watcher->trace);
    watcher->view = NULL;
    watcher->trace = NULL;
    watcher->pid_count = 0;
}

static void note_pid(void *ctx, int32_t rank, const char *pid)
{
    struct record_watcher *watcher = ctx;
    (void)rank;
    if (SYN_ROOM(watcher->pid, watcher->pid_capacity, watcher->pid_count) == SYN_OK)
        watcher->pid[watcher->pid_count++] = atoi(pid);
}

/* Says whether the trace is of the run to watch: around a launcher any run, beside a rank the first
 * run that has a process here. The directory may still hold an earlier run, and may get a later
 * one. */
static bool is_own_run(struct record_watcher *watcher)
{
    const uint8_t *run_id = syn_hang_run_id(watcher->trace);
    if (watcher->speaker && !watcher->has_run && watcher->pid_count > 0 && run_id) {
        memcpy(watcher->run_id, run_id, sizeof watcher->run_id);
        watcher->has_run = true;
    }
    return !watcher->speaker || (watcher->has_run && run_id &&
                                 memcmp(watcher->run_id, run_id, sizeof watcher->run_id) == 0);
}

/* Returns the longest time that a call has been open. Counts those that are open for long. Closes
 * the views of ranks that are gone. */
static int64_t longest_ns(struct record_watcher *watcher)
{
    const int32_t ranks = watcher->trace && watcher->view ? syn_trace_size(watcher->trace) : 0;
    int64_t longest = 0, now_ns;
    bool goes_on = false, holds = false, any = false;
    watcher->long_count = 0;
    for (int32_t r = 0; r < ranks; r++) {
        const struct syn_open_call *call = NULL;
        size_t count = 0;
        bool is_behind;
        if (!watcher->view[r])
            continue;
        if (syn_open_view_read(watcher->view[r], &call, &count, &is_behind) != SYN_OK) {
            syn_open_view_free(watcher->view[r]);
            watcher->view[r] = NULL;
            continue;
        }
        any = true;
        for (size_t i = 0; i < count; i++) {
            int64_t open_ns;
            if (call[i].state != SYN_OPEN_INSIDE ||
                !syn_rank_now_ns(syn_trace_rank(watcher->trace, r), &now_ns) ||
                __builtin_sub_overflow(now_ns, call[i].start_ns, &open_ns))
                open_ns = 0;
            longest = syn_largest(longest, open_ns);
            watcher->long_count += open_ns >= watcher->rule.floor_ns;
            if (r == watcher->alarm_rank && call[i].thread == watcher->alarm_thread) {
                holds = open_ns >= watcher->rule.floor_ns;
                goes_on = !holds;
            }
        }
    }
    watcher->complete &= any;
    /* Nothing is said of a rank that is gone. */
    struct syn_text line = {0};
    if (watcher->alarm_rank >= 0 && goes_on) {
        syn_text_format(&line, "syncopate: rank %d goes on\n", watcher->alarm_rank);
        speak(watcher, &line);
    }
    if (!holds)
        watcher->alarm_rank = -1;
    return longest;
}

/* ---- the alarm ---- */

static void send_to(void *signal_number, int32_t rank, const char *pid)
{
    (void)rank;
    kill((pid_t)atoi(pid), *(const int *)signal_number);
}

/* Sends a signal to the ranks of this machine. */
static void send_to_ranks(const struct record_watcher *watcher, int signal_number)
{
    if (watcher->trace)
        syn_hang_each_process(watcher->trace, send_to, &signal_number);
}

static void write_ranks(struct record_watcher *watcher)
{
    send_to_ranks(watcher, SIGTERM);
    watcher->told_ranks = true;
}

static void raise_alarm(struct record_watcher *watcher, const struct record_sight *sight)
{
    const struct syn_hang *hang = &sight->of.examination.hang;
    const struct syn_hang_call *call = &sight->of.examination.looked.model.call[hang->wait[0].call];
    /* Write the first lines of the page: the state, and the roots. */
    SYN_CLEANUP(syn_text_free) struct syn_text page = page_of(sight, BLOCK_WIDTH), hint = {0};
    struct syn_text text = {0};
    const char *at = syn_text_chars(&page), *line;
    for (int i = 0, length; i < BLOCK_LINES - 1 && (length = next_line(&at, &line)) > 0; i++)
        syn_text_format(&text, "%s%.*s\n", i ? "  " : "syncopate: ", length, line);
    syn_words(&hint, "  All of it: syncopate hang {shell}", syn_trace_directory(sight->trace));
    syn_text_harmless(&text, syn_text_chars(&hint));
    syn_text_char(&text, '\n');
    watcher->alarm_rank = call->rank;
    watcher->alarm_thread = call->thread;
    watcher->told_stuck = hang->state == SYN_HANG_IS_STUCK;
    speak(watcher, &text);
    for (int now = 0; (watcher->wish->actions & RECORD_HANG_STACKS) && now < 2; now++) {
        text = record_root_stacks(sight, now != 0);
        speak(watcher, &text);
    }
}

/* Says whether all ranks that are waited for wait as well, some for less than `after_s`: the run
 * goes on, or is found to be stuck soon. */
static bool is_undecided(const struct syn_hang *hang, const struct syn_hang_model *model,
                         const struct syn_hang_options *rule)
{
    bool undecided = false;
    for (size_t i = 0; i < hang->absent_count; i++) {
        const struct syn_hang_absent *absent = &hang->absent[i];
        if (absent->root)
            return false;
        undecided |= model->now_ns - model->call[absent->call].since_ns < rule->floor_ns;
    }
    return undecided && hang->state == SYN_HANG_IS_WAITING;
}

/* Says whether the run may be ended. Time in which the run was suspended does not count. */
static bool may_kill(const struct record_watcher *watcher)
{
    return (watcher->wish->actions & RECORD_HANG_KILL) &&
           (record_now_s() - watcher->whole_s) * 1e9 >= (double)watcher->rule.floor_ns;
}

/* Ends the run, unless the alarm's call has returned during the look and the stacks. Returns the
 * signal for the launcher; 0: none. */
static int end_run(struct record_watcher *watcher)
{
    struct syn_text text = {0};
    (void)longest_ns(watcher);
    if (watcher->alarm_rank < 0)
        return 0;
    syn_text_string(&text, "syncopate: --on-hang kill ends the run\n");
    speak(watcher, &text);
    watcher->killed_s = record_now_s();
    if (watcher->speaker)
        write_ranks(watcher);
    return SIGTERM;
}

static bool is_same_run(const struct syn_trace *a, const struct syn_trace *b)
{
    const uint8_t *left = a ? syn_hang_run_id(a) : NULL, *right = syn_hang_run_id(b);
    return left && right && memcmp(left, right, 16) == 0;
}

/* ---- the end ---- */

/* Sends further signals after SIGTERM. A script's shell handles SIGTERM only when the launcher that
 * it has started has ended. Returns the signal for the launcher; 0: none. */
static int press(struct record_watcher *watcher)
{
    if (!watcher->told_ranks && record_now_s() >= watcher->killed_s + PATIENCE_S)
        write_ranks(watcher);
    if (record_now_s() < watcher->killed_s + GRACE_S)
        return 0;
    send_to_ranks(watcher, SIGKILL);
    return SIGKILL;
}

/* Says whether a rank of this machine is stopped. */
static bool has_stopped(const struct record_watcher *watcher)
{
    char digits[24];
    bool stopped = false;
    for (size_t i = 0; i < watcher->pid_count && !stopped; i++) {
        snprintf(digits, sizeof digits, "%d", watcher->pid[i]);
        stopped = syn_process_is_stopped(syn_process_now(digits).state);
    }
    return stopped;
}

/* Plan: open the trace again if views are missing; find the longest open call; examine the run if
 * that call is long. */
int record_watcher_tick(struct record_watcher *watcher, int speaker)
{
    int signal_number = 0;
    watcher->speaker = speaker;
    if (watcher->killed_s > 0)
        return press(watcher);
    if (!watcher->complete && record_now_s() >= watcher->next_open_s) {
        /* Open the trace, and views of its open lines. */
        const double start_s = record_now_s();
        int64_t now_ns;
        close_views(watcher);
        watcher->trace = open_last(watcher->directory);
        if (watcher->trace)
            syn_hang_each_process(watcher->trace, note_pid, watcher);
        if (watcher->trace && !is_own_run(watcher))
            close_views(watcher);
        const int32_t ranks = watcher->trace ? syn_trace_size(watcher->trace) : 0;
        watcher->view = calloc((size_t)ranks + 1, sizeof(struct syn_open_view *));
        watcher->complete = ranks > 0;
        for (int32_t r = 0; watcher->view && r < ranks; r++) {
            const struct syn_rank_file *file = syn_trace_rank(watcher->trace, r);
            if (!file || !syn_rank_now_ns(file, &now_ns) ||
                syn_open_view_new(file, &watcher->view[r]) != SYN_OK)
                watcher->complete = false;
        }
        watcher->next_open_s = record_now_s() + PAUSE_FACTOR * (record_now_s() - start_s);
    }
    const int64_t longest = longest_ns(watcher);
    watcher->looked_count = syn_least(watcher->looked_count, watcher->long_count);
    /* RATIONALE: a suspended job (SIGSTOP, Ctrl-Z, a scheduler) does not hang. The watcher may be
     * suspended with it: then its second comes late. */
    const bool late = watcher->tick_s > 0 && record_now_s() - watcher->tick_s > LATE_S;
    const bool may_stop = (watcher->wish->actions & RECORD_HANG_KILL) && longest >= NS_PER_S;
    if (late || (may_stop && has_stopped(watcher)))
        watcher->whole_s = record_now_s();
    const bool is_new = watcher->alarm_rank < 0;
    const bool may_tell =
        is_new || (!watcher->told_stuck && watcher->long_count > watcher->looked_count);
    if (longest >= watcher->rule.floor_ns && record_now_s() >= watcher->next_look_s &&
        (may_tell || may_kill(watcher))) {
        const double start_s = record_now_s();
        struct record_sight sight;
        watcher->looked_count = watcher->long_count;
        if (begin_sight(&sight, watcher->directory, &watcher->rule, true, true) == SYN_OK &&
            sight.of.examination.has_hang) {
            const struct syn_hang *hang = &sight.of.examination.hang;
            const bool hangs =
                hang->state == SYN_HANG_IS_STUCK || hang->state == SYN_HANG_IS_WAITING;
            const bool alarms =
                hangs && hang->wait_count > 0 && hang->for_ns >= watcher->rule.floor_ns &&
                !is_undecided(hang, &sight.of.examination.looked.model, &watcher->rule) &&
                is_same_run(watcher->trace, sight.trace);
            if (alarms && may_tell && (is_new || hang->state == SYN_HANG_IS_STUCK))
                raise_alarm(watcher, &sight);
            if (alarms && may_kill(watcher))
                signal_number = end_run(watcher);
        }
        end_sight(&sight);
        watcher->next_look_s = record_now_s() + PAUSE_FACTOR * (record_now_s() - start_s);
    }
    watcher->tick_s = record_now_s();
    return signal_number;
}

static void count_one(void *count, int32_t rank, const char *pid)
{
    (void)rank;
    (void)pid;
    ++*(int *)count;
}

/* Waits until no rank of this machine is left. Returns false if some remain after OUTWAIT_S. */
static bool outwait(struct record_watcher *watcher)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    const double end_s = record_now_s() + OUTWAIT_S;
    for (int count = 1; watcher->trace && count > 0;) {
        count = 0;
        syn_hang_each_process(watcher->trace, count_one, &count);
        if (count > 0 && record_now_s() > end_s) {
            struct syn_text line = {0};
            syn_words(&line, "syncopate: {n} process{|es} of the run {does|do} not end\n", count);
            speak(watcher, &line);
            return false;
        }
        if (count > 0) {
            press(watcher);
            nanosleep(&pause, NULL);
        }
    }
    return true;
}

bool record_watcher_finish(struct record_watcher *watcher)
{
    struct syn_recovered recovered;
    if (!watcher || watcher->killed_s == 0)
        return false;
    struct syn_trace *trace = outwait(watcher) ? open_last(watcher->directory) : NULL;
    if (trace && !syn_trace_manifest(trace))
        (void)syn_trace_recover(trace,
                                &recovered); /* on failure the trace stays readable as it is */
    syn_trace_close(trace);
    return true;
}

struct record_watcher *record_watcher_new(const char *directory, const struct record_on_hang *wish)
{
    struct record_watcher *watcher = malloc(sizeof *watcher);
    if (!watcher)
        return NULL;
    *watcher = (struct record_watcher){.directory = directory,
                                       .wish = wish,
                                       .rule = SYN_HANG_OPTIONS,
                                       .alarm_rank = -1,
                                       .whole_s = record_now_s()};
    watcher->rule.least_ns = (int64_t)(wish->after_s * 1e9);
    syn_hang_count_from(&watcher->rule, watcher->rule.least_ns);
    return watcher;
}

void record_watcher_free(struct record_watcher *watcher)
{
    if (watcher)
        close_views(watcher);
    if (watcher)
        free(watcher->pid);
    free(watcher);
}

const struct syn_trace *record_watcher_trace(const struct record_watcher *watcher)
{
    return watcher->trace;
}
