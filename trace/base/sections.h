/* trace/base/sections.h - encodes and decodes the payloads of all frames but EVENTS: put encodes a
 * record, take decodes it. docs/trace-format.md has the layouts. Decoded records lie in an
 * arena. */
#ifndef SYN_SECTIONS_H
#define SYN_SECTIONS_H

#include "sync/base/arena.h"
#include "sync/base/bytes.h"
#include "sync/methods/sync.h"
#include "sync/time/clock.h"
#include "sync/time/timeline.h"
#include "trace/base/open_line.h"
#include "trace/base/rank_lists.h"
#include "trace/base/records.h"

/* The content of a CLOCK frame. */
struct syn_clock_section {
    struct syn_tick_source ticks; /* its function is not stored */
    struct syn_timeline timeline; /* of a decoded section: memory of the arena, so never call
                                     syn_timeline_free on it */
    const struct syn_fitpoint *fitpoints;
    size_t fitpoint_count;
    bool has_quality;
    struct syn_sync_quality quality;
};

void syn_put_meta(struct syn_bytes *out, const char *key, const char *value);
void syn_put_comm(struct syn_bytes *out, const struct syn_comm_record *comm);
/* Writes a communicator as in node files. Its members are runs, so 10^5 members take a few
 * bytes. */
void syn_put_comm_in_runs(struct syn_bytes *out, const struct syn_comm_record *comm);
void syn_put_module(struct syn_bytes *out, const struct syn_module_record *module);
void syn_put_stack(struct syn_bytes *out, const struct syn_stack_record *stack);
void syn_put_clock(struct syn_bytes *out, const struct syn_clock_section *clock);
/* Writes the names of all operations and messages that this build can record. Returns their
 * number. */
size_t syn_put_ops(struct syn_bytes *out);
/* Replaces MPI's constants in an open line by SYN_PEER_* and SYN_TAG_ANY (open_line.h). */
void syn_open_line_make_plain(const struct syn_open_names *names, struct syn_open_line *line);
/* Writes the open line of a thread after syn_open_line_make_plain. */
void syn_put_open(struct syn_bytes *out, uint32_t thread, const struct syn_open_line *line);
void syn_put_end(struct syn_bytes *out, const struct syn_end_record *end);

/* Each of these functions takes one record. Returns 0, SYN_EDAMAGED or SYN_ENOMEM. */
int syn_take_meta(struct syn_take *take, struct syn_arena *arena, const char **key,
                  const char **value);
/* The members become a list of `lists`, of which the record gets a reference. The memory is charged
 * to the arena. */
int syn_take_comm(struct syn_take *take, struct syn_arena *arena, struct syn_rank_lists *lists,
                  struct syn_comm_record *out);
/* Takes a record that syn_put_comm_in_runs wrote. Members that `lists` did not have yet are charged
 * to the arena. */
int syn_take_comm_in_runs(struct syn_take *take, struct syn_arena *arena,
                          struct syn_rank_lists *lists, struct syn_comm_record *out);
int syn_take_module(struct syn_take *take, struct syn_arena *arena, struct syn_module_record *out);
int syn_take_stack(struct syn_take *take, struct syn_arena *arena, struct syn_stack_record *out);
int syn_take_clock(struct syn_take *take, struct syn_arena *arena, struct syn_clock_section *out);
int syn_take_op(struct syn_take *take, struct syn_arena *arena, uint16_t *op, const char **name);
int syn_take_open(struct syn_take *take, uint32_t *thread, struct syn_open_line *out);
int syn_take_end(struct syn_take *take, struct syn_end_record *out);

#endif
