/* preload/run/output.c - see output.h. */
#include "preload/run/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/base/plain_locale.h"
#include "preload/base/signals.h"
#include "preload/calls/control/control.h"
#include "preload/comms/communicators.h"
#include "preload/recorder/durable.h"
#include "preload/recorder/recorder.h"
#include "preload/recorder/stacks/stacks.h"
#include "sync/base/bytes.h"
#include "sync/base/layout.h"
#include "sync/base/status.h"
#include "trace/base/frame.h"
#include "trace/base/guarded.h"
#include "trace/base/sections.h"
#include "trace/base/sink.h"
#include "trace/directory/manifest.h"
#include "trace/read/repeated_comms.h"

static struct {
    struct syn_writer *writer;
    const struct syn_timeline *timeline;             /* NULL: events are written in ticks */
    uint32_t module_count, stack_count, phase_count; /* number of declarations made so far */
    struct syn_bytes record;                         /* the record being made */
    bool lacks_room;                                 /* the raw file had no room for a record */
    struct syn_repeated_comm_written repeated;       /* the repeated communicator written last */
    size_t deferred_bytes; /* bytes declared since the last step that wrote declarations */
    size_t started_bytes;  /* bytes in the raw file that are written by the steps in progress */
    uint64_t event_count;
    int status;
    struct syn_place place; /* directory of the trace */
    char path[4096 + 64];
    char failure[4096 + 256];
} output = {.place = {.guarded = {.descriptor = -1}}};

/* Declarations are written to the file once there are START_BYTES of them, one step for each
 * further STEP_BYTES: so they are in the file before the raw file's block of records (64 KiB) is
 * full. RATIONALE: not sooner, since a short frame takes three times the space of its share in a
 * long one. */
#define START_BYTES ((size_t)24 << 10)
#define STEP_BYTES  ((size_t)1 << 10)
/* Most steps after one call. */
#define STEPS_MAX 2

/* Keeps the first failure and ends recording. */
static SYN_COLD int fail(int status)
{
    if (status == SYN_OK || output.status != SYN_OK)
        return output.status;
    const int error = errno;
    output.status = status;
    snprintf(output.failure, sizeof output.failure, "cannot write %s: %s", output.path,
             status == SYN_EIO && error ? syn_guarded_text(error) : syn_status_text(status));
    syn_durable_note(SYN_ENDING_DISABLED);
    syn_recorder_keep_no_more();
    return status;
}

/* Returns the name of the rank's file, without the directory. */
static const char *own_name(void)
{
    return strrchr(output.path, '/') + 1;
}

static int open_file(const char *directory, const struct syn_writer_identity *identity, int level,
                     const struct syn_tick_source *ticks)
{
    struct syn_sink sink;
    int status = syn_trace_make_directories(directory) == SYN_OK ? SYN_OK : SYN_EIO;
    SYN_STEP(status, syn_place_open(&output.place, directory, 0));
    SYN_STEP(status, syn_sink_file_in(&output.place, own_name(), &sink));
    SYN_STEP(status, syn_writer_open(sink, identity, level, ticks, &output.writer));
    return status;
}

int syn_output_open(const char *directory, const struct syn_writer_identity *identity, int level,
                    const struct syn_tick_source *ticks)
{
    struct syn_signals signals;
    syn_rank_path(output.path, sizeof output.path, directory, identity->rank);
    syn_signals_hold(&signals);
    fail(open_file(directory, identity, level, ticks));
    syn_signals_release(&signals);
    return output.status;
}

void syn_output_meta(const char *key, const char *format, ...)
{
    char value[4096];
    const locale_t before = syn_plain_locale_begin();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    syn_plain_locale_end(before);
    syn_output_emit(NULL, key, value);
}

int syn_output_emit(void *ctx, const char *key, const char *value)
{
    (void)ctx;
    if (output.status)
        return output.status;
    struct syn_signals signals;
    syn_signals_hold(&signals);
    fail(syn_writer_meta(output.writer, key, value));
    syn_signals_release(&signals);
    return output.status;
}

void syn_output_clock(const struct syn_timeline *timeline, const struct syn_sync *sync)
{
    static const struct syn_sync_quality none = {.group_size = 1, .reference_rank = -1};
    size_t count = 0;
    const struct syn_fitpoint *points = sync ? syn_sync_fitpoints(sync, &count) : NULL;
    const struct syn_sync_quality *quality = sync ? syn_sync_quality(sync) : &none;
    if (output.status)
        return;
    struct syn_signals signals;
    syn_signals_hold(&signals);
    fail(syn_writer_clock(output.writer, timeline, points, count, quality));
    syn_signals_release(&signals);
}

void syn_output_normalize(const struct syn_timeline *timeline)
{
    output.timeline = timeline;
}

/* The file has all declarations: frees the raw file's records. */
static void forget_records(void)
{
    syn_durable_forget_records(syn_durable_record_bytes());
    output.started_bytes = 0;
}

/* Takes one step that writes declarations. Caller blocks signals if the step writes. Returns false
 * if there was nothing to do. */
static bool declaration_step(size_t least)
{
    enum syn_ahead what;
    if (fail(syn_writer_ahead(output.writer, least, &what)) != SYN_OK)
        return false;
    if (what == SYN_AHEAD_BEGUN) {
        output.started_bytes = syn_durable_record_bytes();
    } else if (what == SYN_AHEAD_WRITTEN) {
        syn_durable_forget_records(output.started_bytes);
        output.started_bytes = 0;
    }
    return what != SYN_AHEAD_NOTHING;
}

/* Returns how many bytes of declarations make a step worthwhile. */
static size_t least_bytes(void)
{
    return syn_durable_record_bytes() < START_BYTES ? START_BYTES : 1;
}

static bool is_step_due(void)
{
    if (output.deferred_bytes < STEP_BYTES)
        return false;
    if (!syn_writer_is_ahead_due(output.writer, least_bytes()))
        output.deferred_bytes = 0;
    return output.deferred_bytes > 0;
}

/* Takes the steps that the new declarations ask for. */
void syn_output_write_due_declarations(void)
{
    for (int i = 0; i < STEPS_MAX && output.status == SYN_OK && is_step_due(); i++) {
        const bool writes = syn_writer_is_ahead_whole(output.writer);
        struct syn_signals signals;
        if (writes)
            syn_signals_hold(&signals);
        declaration_step(least_bytes());
        if (writes)
            syn_signals_release(&signals);
        output.deferred_bytes -= STEP_BYTES;
    }
}

/* Keeps a declaration in the writer, and in the raw file in case of a kill. */
static SYN_HOT int keep_bytes(uint8_t frame_type, const void *record, size_t bytes)
{
    size_t taken = 0;
    const int status = syn_writer_record(output.writer, frame_type, record, bytes);
    if (status != SYN_OK)
        return status;
    output.lacks_room |= !syn_durable_record(frame_type, record, bytes, &taken);
    output.deferred_bytes += taken > 0 ? taken : bytes;
    return SYN_OK;
}

static int keep_record(uint8_t frame_type)
{
    struct syn_bytes *record = &output.record;
    const int status =
        record->failed ? SYN_ENOMEM : keep_bytes(frame_type, record->data, record->count);
    record->count = 0;
    return status;
}

static int declare_comm(const struct syn_comm_record *record)
{
    syn_put_comm(&output.record, record);
    return keep_record(SYN_FRAME_COMM);
}

static SYN_HOT int declare_repeated(const struct syn_repeated_comm *sibling)
{
    syn_repeated_comm_write(&output.repeated, sibling);
    return keep_bytes(SYN_FRAME_COMM, output.repeated.record, output.repeated.bytes);
}

static int declare_comms(struct syn_comm *comm)
{
    static const struct syn_comm_declarer declarer = {declare_comm, declare_repeated};
    return syn_comms_declare(&declarer, comm);
}

/* Declares everything that events refer to so far and the file lacks. */
static SYN_HOT int declare_all(void)
{
    int status = declare_comms(NULL);
    const struct syn_module_record *module;
    const struct syn_stack_record *stack;
    const char *phase;
    for (; status == SYN_OK && (phase = syn_control_phase_name(output.phase_count + 1));
         output.phase_count++) {
        char key[32];
        snprintf(key, sizeof key, "phase.%u", output.phase_count + 1);
        syn_put_meta(&output.record, key, phase);
        status = keep_record(SYN_FRAME_META);
    }
    const size_t stack_count = syn_stack_count();
    for (; status == SYN_OK && (module = syn_stack_module_at(output.module_count));
         output.module_count++) {
        syn_put_module(&output.record, module);
        status = keep_record(SYN_FRAME_MODULE);
    }
    for (; status == SYN_OK && output.stack_count < stack_count &&
           (stack = syn_stack_at(output.stack_count));
         output.stack_count++) {
        syn_put_stack(&output.record, stack);
        status = keep_record(SYN_FRAME_STACK);
    }
    return status;
}

/* Writes all declarations if one had no room in the raw file: a kill would lose it. Then there is
 * room again. */
static int flush_for_room(void)
{
    if (!output.lacks_room)
        return SYN_OK;
    output.lacks_room = false;
    struct syn_signals signals;
    syn_signals_hold(&signals);
    const int status = syn_writer_flush(output.writer);
    if (status == SYN_OK)
        forget_records();
    syn_signals_release(&signals);
    return status;
}

static int declare(void)
{
    const int status = declare_all();
    return status == SYN_OK ? flush_for_room() : status;
}

void syn_output_flush(void)
{
    struct syn_signals signals;
    syn_signals_hold(&signals);
    if (!output.status)
        fail(declare());
    if (!output.status)
        fail(syn_writer_flush(output.writer));
    if (!output.status)
        forget_records();
    syn_signals_release(&signals);
}

/* Declares everything that the next events refer to, since the file must have it first. Signals are
 * blocked until end_events. */
static void begin_events(struct syn_signals *signals)
{
    syn_signals_hold(signals);
    if (!output.status)
        fail(declare());
}

static bool end_events(const struct syn_signals *signals, size_t event_count)
{
    if (!output.status &&
        syn_writer_written_count(output.writer) == syn_writer_declared_count(output.writer))
        forget_records();
    syn_signals_release(signals);
    if (!output.status)
        output.event_count += event_count;
    return !output.status;
}

bool syn_output_entries(uint32_t thread, const struct syn_event *entries, size_t entry_count,
                        size_t note_count)
{
    struct syn_signals signals;
    begin_events(&signals);
    if (!output.status)
        fail(syn_writer_entries(output.writer, thread, entries, entry_count, note_count,
                                output.timeline));
    return end_events(&signals, entry_count - note_count);
}

struct syn_batch *syn_output_new_batch(void)
{
    return syn_writer_new_batch(output.writer);
}

/* Returns *until; sets it to the number of all declarations if it is 0. */
static uint64_t required_count(uint64_t *until)
{
    if (*until == 0)
        *until = syn_writer_declared_count(output.writer);
    return *until;
}

bool syn_output_batch(struct syn_batch *batch, size_t event_count, uint64_t until, bool *is_whole)
{
    struct syn_signals signals;
    *is_whole = false;
    begin_events(&signals);
    if (!output.status)
        fail(syn_writer_batch(output.writer, batch, required_count(&until), is_whole));
    return end_events(&signals, *is_whole ? event_count : 0);
}

/* RATIONALE: signals are blocked only if there is something to write. */
bool syn_output_write_declarations(uint64_t *until)
{
    if (output.status == SYN_OK)
        fail(declare());
    if (output.status != SYN_OK || syn_writer_written_count(output.writer) >= required_count(until))
        return false;
    struct syn_signals signals;
    syn_signals_hold(&signals);
    const bool any = declaration_step(1);
    syn_signals_release(&signals);
    return any;
}

/* Handles a failed declaration, or one that had no room in the raw file. */
static SYN_COLD bool handle_declare_failure(int status)
{
    fail(status);
    if (output.lacks_room)
        syn_recorder_hold();
    if (output.status == SYN_OK)
        fail(flush_for_room());
    return output.status == SYN_OK && is_step_due();
}

/* RATIONALE: signals are blocked only for writing, which is rare: blocking them takes four system
 * calls. With `comm`, everything else has been declared before. */
SYN_HOT bool syn_output_declare(struct syn_comm *comm)
{
    int status = output.status;
    SYN_STEP(status, comm ? declare_comms(comm) : declare_all());
    return status != SYN_OK || output.lacks_room ? handle_declare_failure(status) : is_step_due();
}

void syn_output_warm_up(void)
{
    struct syn_signals signals;
    syn_signals_hold(&signals);
    if (!output.status)
        fail(syn_writer_warm_up(output.writer, START_BYTES));
    syn_signals_release(&signals);
}

void syn_output_open_calls(void)
{
    struct syn_signals signals;
    struct syn_bytes calls = {0};
    syn_signals_hold(&signals);
    const size_t count = syn_recorder_put_open(&calls);
    if (!output.status && count > 0)
        fail(declare());
    if (!output.status && count > 0)
        fail(syn_writer_open_calls(output.writer, &calls, count));
    syn_bytes_free(&calls);
    syn_signals_release(&signals);
}

int syn_output_end(enum syn_ending ending)
{
    const struct syn_end_record end = {
        .ending = ending,
        .event_count = output.event_count,
        .dropped_count = syn_recorder_lost_count(),
    };
    struct syn_signals signals;
    syn_signals_hold(&signals);
    if (!output.status)
        fail(declare());
    if (!output.status)
        fail(syn_writer_end(output.writer, &end));
    syn_signals_release(&signals);
    return output.status;
}

/* Closes the writer. If there was no error, the file has all events, and the raw file is
 * removed. */
static int close_writer(const struct syn_signals *signals)
{
    syn_writer_close(output.writer);
    output.writer = NULL;
    syn_bytes_free(&output.record);
    if (!output.status)
        syn_durable_remove();
    syn_signals_release(signals);
    return output.status;
}

int syn_output_commit(void)
{
    struct syn_signals signals;
    syn_signals_hold(&signals);
    if (!output.status)
        fail(syn_writer_commit(output.writer));
    return close_writer(&signals);
}

int syn_output_leave(int failed)
{
    struct syn_signals signals;
    syn_signals_hold(&signals);
    fail(failed);
    return close_writer(&signals);
}

int syn_output_finish(enum syn_ending ending)
{
    syn_output_end(ending);
    return syn_output_commit();
}

void syn_output_abandon(void)
{
    syn_durable_remove();
    if (output.writer) {
        syn_writer_close(output.writer);
        output.writer = NULL;
        syn_sink_discard_in(&output.place, own_name());
    }
    syn_output_close();
}

struct syn_place *syn_output_place(void)
{
    return &output.place;
}

void syn_output_close(void)
{
    syn_place_close(&output.place);
}

/* RATIONALE: such a run has no manifest, so the name of its temporary file is free; the next run
 * removes that file. An empty file can be made even on a full disk. */
bool syn_output_reports_losses(void)
{
    static const char name[] = SYN_MANIFEST_NAME ".part";
    struct syn_signals signals;
    syn_signals_hold(&signals);
    const int directory = syn_place_get(&output.place);
    const int made =
        directory < 0 ? -1
                      : syn_open_at(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const bool is_taken = directory >= 0 && made < 0 && errno == EEXIST;
    if (made >= 0)
        close(made);
    syn_signals_release(&signals);
    return !is_taken;
}

int syn_output_failure(const char **text)
{
    *text = output.failure;
    return output.status;
}

uint64_t syn_output_event_count(void)
{
    return output.event_count;
}

uint64_t syn_output_bytes(void)
{
    return output.writer ? syn_writer_bytes(output.writer) : 0;
}
