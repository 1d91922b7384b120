/* analyze/record/on_hang_stacks.c - writes call stacks of ranks that are waited for, or that
 * disagree: the recorded stack of their last call, and the stacks by eu-stack or gdb if the machine
 * has one of them and the kernel permits it. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyze/hang/process.h"
#include "analyze/record/on_hang_parts.h"
#include "analyze/record/run.h"
#include "analyze/symbols/symbols.h"
#include "sync/base/integers.h"
#include "trace/read/open_calls.h"

#define RANKS_SHOWN 4
#define LINES_SHOWN 40 /* of a rank, from the tool */
#define TOOL_S      20

struct wanted {
    int32_t rank;
    char pid[24]; /* "": no process on this machine */
};

static void note_pid(void *ctx, int32_t rank, const char *pid)
{
    struct wanted *wanted = ctx;
    if (rank == wanted->rank)
        snprintf(wanted->pid, sizeof wanted->pid, "%s", pid);
}

/* ---- the recorded stack ---- */

static uint32_t last_stack(const struct syn_rank_file *file, uint32_t thread)
{
    struct syn_open_call call;
    for (size_t i = 0; syn_rank_open_call_at(file, i, &call); i++)
        if (call.thread == thread)
            return call.stack;
    return SYN_NO_STACK;
}

static void add_recorded(const struct record_sight *sight, int32_t rank, struct syn_text *out)
{
    const struct syn_hang_model *model = &sight->of.examination.looked.model;
    struct syn_rank_file *file = syn_trace_rank(sight->trace, rank);
    const char *label;
    for (size_t i = 0; file && i < model->call_count; i++) {
        const struct syn_hang_call *call = &model->call[i];
        if (call->rank != rank)
            continue;
        const uint32_t stack = last_stack(file, call->thread);
        syn_text_format(out, "  thread %u, %s %s:\n", call->thread,
                        syn_hang_is_open(call) ? "in" : "after", syn_hang_call_name(call));
        for (uint32_t d = 0; (label = syn_symbols_frame(sight->of.symbols, file, stack, d)); d++)
            syn_text_format(out, "    %s\n", label);
    }
}

/* ---- the stacks by a tool ---- */

static void add_lines(const char *lines, struct syn_text *out)
{
    for (int shown = 0; *lines && shown < LINES_SHOWN; shown++) {
        const size_t length = strcspn(lines, "\n");
        SYN_FREED char *line = strndup(lines, length);
        syn_text_string(out, "    ");
        syn_text_harmless(out, line ? line : "");
        syn_text_char(out, '\n');
        lines += length + (lines[length] != '\0');
    }
    if (*lines)
        syn_text_string(out, "    ...\n");
}

/* Ends the tool, with SIGTERM at first. RATIONALE: a debugger that gets SIGKILL may leave its
 * process stopped. */
static void end_tool(pid_t tool)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    kill(tool, SIGTERM);
    for (int i = 0; i < 20; i++) {
        if (waitpid(tool, NULL, WNOHANG) != 0)
            return;
        nanosleep(&pause, NULL);
    }
    kill(tool, SIGKILL);
    waitpid(tool, NULL, 0);
}

/* Runs a tool on the process, for a limited time, and appends its output. */
static void add_tool(const char *pid, struct syn_text *out)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return;
    const pid_t tool = fork();
    if (tool == 0) {
        const int null = open("/dev/null", O_RDONLY);
        unsetenv("LD_PRELOAD"); /* do not record the tool */
        dup2(null, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execlp("eu-stack", "eu-stack", "-n", "32", "-p", pid, (char *)NULL);
        execlp("gdb", "gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex",
               "thread apply all backtrace 32", "-p", pid, (char *)NULL);
        _exit(127);
    }
    SYN_CLEANUP(syn_text_free) struct syn_text lines = {0};
    close(ends[1]);
    if (tool > 0) {
        /* Read until the tool closes its output, for at most TOOL_S. */
        const double end_s = record_now_s() + TOOL_S;
        char bytes[4096];
        ssize_t got = 1;
        while (got > 0) {
            struct pollfd ready = {.fd = ends[0], .events = POLLIN};
            const int left_ms = (int)(1000 * (end_s - record_now_s()));
            got = left_ms > 0 && poll(&ready, 1, left_ms) > 0 ? read(ends[0], bytes, sizeof bytes)
                                                              : 0;
            if (got > 0)
                syn_text_append(&lines, bytes, (size_t)got);
        }
    }
    close(ends[0]);
    if (tool > 0)
        end_tool(tool);
    if (lines.length > 0) {
        syn_text_format(out, "  process %s:\n", pid);
        add_lines(syn_text_chars(&lines), out);
    }
}

static size_t take_ranks(const int32_t *rank, size_t count, int32_t wanted[RANKS_SHOWN])
{
    const size_t taken = syn_least(count, (size_t)RANKS_SHOWN);
    if (taken > 0)
        memcpy(wanted, rank, taken * sizeof *wanted);
    return taken;
}

struct syn_text record_root_stacks(const struct record_sight *sight, bool now)
{
    int32_t ranks[RANKS_SHOWN];
    struct syn_text out = {0};
    /* Take the roots; if there are none, the ranks of a circle; else those of the first
     * disagreement. */
    const struct syn_examination *of = &sight->of.examination;
    const struct syn_hang *hang = &of->hang;
    size_t count = 0;
    for (size_t i = 0; i < hang->absent_count && count < RANKS_SHOWN; i++)
        if (hang->absent[i].root)
            ranks[count++] = hang->absent[i].rank;
    if (count == 0)
        count = take_ranks(hang->cycle, hang->cycle_count, ranks);
    if (count == 0 && of->mismatches.count > 0)
        count = take_ranks(of->mismatches.at->rank, of->mismatches.at->rank_count, ranks);
    for (size_t i = 0; i < count; i++) {
        struct wanted wanted = {.rank = ranks[i]};
        if (now)
            syn_hang_each_process(sight->trace, note_pid, &wanted);
        if (now && !*wanted.pid)
            continue;
        syn_text_format(&out, "syncopate: %s of rank %d\n",
                        now ? "call stacks now" : "last recorded call", ranks[i]);
        if (now)
            add_tool(wanted.pid, &out);
        else
            add_recorded(sight, ranks[i], &out);
    }
    return out;
}
