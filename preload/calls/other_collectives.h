/* preload/calls/other_collectives.h - the collectives on communicators, windows and files: how each
 * goes on after MPI's own call, and their wrappers in C. Those in Fortran are in
 * fortran_other_collectives.c. */
#ifndef SYN_OTHER_COLLECTIVES_H
#define SYN_OTHER_COLLECTIVES_H

#include <stddef.h>

#include "preload/calls/call.h"
#include "preload/calls/spawn.h"
#include "preload/comms/communicators.h"
#include "preload/entry/backend.h"

/* ---- after the call; each ends in syn_call_leave ---- */

/* It made `made` (read only where it succeeded) out of `parent`. `alone`: it is an instance of what
 * it made. */
void syn_other_made(const struct syn_call *call, const struct syn_operation *operation, bool alone,
                    uintptr_t parent, const struct syn_origin *origin, uintptr_t made);
/* It made `made` out of groups, without a parent; likewise an instance of what it made. */
void syn_other_made_from_group(const struct syn_call *call, const struct syn_operation *operation,
                               const struct syn_origin *origin, uintptr_t made);
/* MPI is making `made`, a duplicate of `parent`, until `request` completes. */
void syn_other_being_made(const struct syn_call *call, const struct syn_operation *operation,
                          uintptr_t parent, const struct syn_origin *origin, uintptr_t made,
                          MPI_Request request);
/* It freed `going`: what syn_comm_leaving said before it. */
void syn_other_freed(const struct syn_call *call, const struct syn_operation *operation,
                     struct syn_comm *going);
/* The beginning of a call that frees what `key` is, from within another call. NULL: it is MPI's
 * own. RATIONALE: a program frees communicators in the callbacks of attributes, which MPI calls
 * from within a call of the program's (mpi4py, PETSc do). Such a call is the program's all the
 * same. What MPI frees in there itself is nothing that the program made, or what the outer call, of
 * Fortran, is freeing. Where the call returns to says less: the last call of a callback may return
 * into MPI. *outer is the guard that syn_other_leave puts back. */
struct syn_thread *syn_other_enter_to_free(uintptr_t frame, uintptr_t key, uintptr_t *outer);
/* After syn_other_freed. */
void syn_other_leave(struct syn_thread *self, uintptr_t outer);
/* It used the communicator, window or file `key`. */
void syn_other_used(const struct syn_call *call, const struct syn_operation *operation,
                    uintptr_t key, const struct syn_transfer *transfer);
/* As above, for a call that `request` completes. */
void syn_other_started(const struct syn_call *call, const struct syn_operation *operation,
                       uintptr_t key, const struct syn_transfer *transfer, MPI_Request request);
/* A split collective on a file: the first call of it, and the second. */
void syn_other_begun(const struct syn_call *call, const struct syn_operation *operation,
                     uintptr_t key, const struct syn_transfer *transfer);
void syn_other_open_end(struct syn_call *call, uintptr_t key);
void syn_other_ended(const struct syn_call *call, uintptr_t key);

/* ---- what the wrappers of both languages have in common ---- */

#define SYN_OTHER_RULE_MAKES            SYN_PAYLOAD_NONE
#define SYN_OTHER_RULE_MAKES_ALONE      SYN_PAYLOAD_NONE
#define SYN_OTHER_RULE_MAKES_FROM_GROUP SYN_PAYLOAD_NONE
#define SYN_OTHER_RULE_SPAWNS           SYN_PAYLOAD_NONE
#define SYN_OTHER_RULE_FREES            SYN_PAYLOAD_NONE
#define SYN_OTHER_RULE_USES             SYN_PAYLOAD_NONE
#define SYN_OTHER_RULE_TRANSFERS        SYN_PAYLOAD_BUFFER

#define SYN_OTHER_OPERATION(NAME, FORM, DOES)                        \
    static const struct syn_operation operation = {                  \
        .rule = SYN_OTHER_RULE_##DOES,                               \
        .id = SYN_ROW_##NAME + SYN_FORM_##FORM * SYN_OP_FORM_STRIDE, \
    }

/* The call begins: `self`, or NULL. */
#define SYN_ENTER_PLAINLY                    struct syn_thread *self = syn_enter((uintptr_t)__builtin_frame_address(0))
#define SYN_ENTER_MAKES(K, SHAPE)            SYN_ENTER_PLAINLY
#define SYN_ENTER_MAKES_ALONE(K, SHAPE)      SYN_ENTER_PLAINLY
#define SYN_ENTER_MAKES_FROM_GROUP(K, SHAPE) SYN_ENTER_PLAINLY
#define SYN_ENTER_SPAWNS(K, SHAPE)           SYN_ENTER_PLAINLY
#define SYN_ENTER_USES(K, SHAPE)             SYN_ENTER_PLAINLY
#define SYN_ENTER_TRANSFERS(K, SHAPE)        SYN_ENTER_PLAINLY
#define SYN_ENTER_FREES(K, SHAPE)                                                                 \
    uintptr_t outer = 0;                                                                          \
    SYN_ENTER_PLAINLY;                                                                            \
    if (!self)                                                                                    \
    self = syn_other_enter_to_free((uintptr_t)__builtin_frame_address(0), SYN_SUBJECT_##SHAPE(K), \
                                   &outer)

/* The thread's line. A call that frees from within another one leaves the outer one's. */
#define SYN_OPEN_MAKES(K, SHAPE) syn_open_other(&call, operation.id, SYN_SUBJECT_##SHAPE(K), true)
#define SYN_OPEN_MAKES_ALONE(K, SHAPE) \
    syn_open_other(&call, operation.id, SYN_SUBJECT_##SHAPE(K), false)
#define SYN_OPEN_MAKES_FROM_GROUP(K, SHAPE) syn_open_other(&call, operation.id, 0, false)
#define SYN_OPEN_SPAWNS(K, SHAPE)           SYN_OPEN_MAKES(K, SHAPE)
#define SYN_OPEN_USES(K, SHAPE)             SYN_OPEN_MAKES(K, SHAPE)
#define SYN_OPEN_TRANSFERS(K, SHAPE)        SYN_OPEN_MAKES(K, SHAPE)
#define SYN_OPEN_FREES(K, SHAPE)            outer ? syn_open_unseen(&call) : SYN_OPEN_MAKES(K, SHAPE)

/* Before the call. */
#define SYN_BEFORE_MAKES(K, SHAPE)
#define SYN_BEFORE_MAKES_ALONE(K, SHAPE)
#define SYN_BEFORE_MAKES_FROM_GROUP(K, SHAPE)
#define SYN_BEFORE_SPAWNS(K, SHAPE) \
    const uint32_t announced = syn_spawn_begin(SYN_SUBJECT_##SHAPE(K), K##_READ_INT(root));
#define SYN_BEFORE_FREES(K, SHAPE) \
    struct syn_comm *going = syn_comm_leaving(self, SYN_SUBJECT_##SHAPE(K));
#define SYN_BEFORE_USES(K, SHAPE)
#define SYN_BEFORE_TRANSFERS(K, SHAPE)

/* After it, by what it does and its form. What was made is there after a success only. */
#define SYN_MADE_IF_ANY(K, SHAPE) (call.result == MPI_SUCCESS ? SYN_MADE_##SHAPE(K) : 0)
#define SYN_AFTER_MAKES_BLOCKING(K, SHAPE)                                    \
    const struct syn_origin origin = {SYN_ORIGIN_##SHAPE(K)};                 \
    syn_other_made(&call, &operation, false, SYN_SUBJECT_##SHAPE(K), &origin, \
                   SYN_MADE_IF_ANY(K, SHAPE));
#define SYN_AFTER_MAKES_ALONE_BLOCKING(K, SHAPE)                             \
    const struct syn_origin origin = {SYN_ORIGIN_##SHAPE(K)};                \
    syn_other_made(&call, &operation, true, SYN_SUBJECT_##SHAPE(K), &origin, \
                   SYN_MADE_IF_ANY(K, SHAPE));
#define SYN_AFTER_MAKES_FROM_GROUP_BLOCKING(K, SHAPE)         \
    const struct syn_origin origin = {SYN_ORIGIN_##SHAPE(K)}; \
    syn_other_made_from_group(&call, &operation, &origin, SYN_MADE_IF_ANY(K, SHAPE));
#define SYN_AFTER_SPAWNS_BLOCKING(K, SHAPE)               \
    syn_spawn_end(announced, call.result == MPI_SUCCESS); \
    SYN_AFTER_MAKES_BLOCKING(K, SHAPE)
#define SYN_AFTER_MAKES_NONBLOCKING(K, SHAPE)                                \
    const struct syn_origin origin = {SYN_ORIGIN_##SHAPE(K)};                \
    syn_other_being_made(&call, &operation, SYN_SUBJECT_##SHAPE(K), &origin, \
                         SYN_MADE_IF_ANY(K, SHAPE), K##_READ_REQUEST(request));
#define SYN_AFTER_FREES_BLOCKING(K, SHAPE)     \
    syn_other_freed(&call, &operation, going); \
    syn_other_leave(call.self, outer);
#define SYN_AFTER_USES_BLOCKING(K, SHAPE)              \
    const struct syn_transfer transfer = {.root = -1}; \
    syn_other_used(&call, &operation, SYN_SUBJECT_##SHAPE(K), &transfer);
#define SYN_AFTER_USES_NONBLOCKING(K, SHAPE)                                \
    const struct syn_transfer transfer = {.root = -1};                      \
    syn_other_started(&call, &operation, SYN_SUBJECT_##SHAPE(K), &transfer, \
                      K##_READ_REQUEST(request));
#define SYN_AFTER_TRANSFERS_BLOCKING(K, SHAPE)                      \
    const struct syn_transfer transfer = {SYN_TRANSFER_##SHAPE(K)}; \
    syn_other_used(&call, &operation, SYN_SUBJECT_##SHAPE(K), &transfer);
#define SYN_AFTER_TRANSFERS_NONBLOCKING(K, SHAPE)                           \
    const struct syn_transfer transfer = {SYN_TRANSFER_##SHAPE(K)};         \
    syn_other_started(&call, &operation, SYN_SUBJECT_##SHAPE(K), &transfer, \
                      K##_READ_REQUEST(request));
#define SYN_AFTER_TRANSFERS_SPLIT(K, SHAPE)                         \
    const struct syn_transfer transfer = {SYN_TRANSFER_##SHAPE(K)}; \
    syn_other_begun(&call, &operation, SYN_SUBJECT_##SHAPE(K), &transfer);

/* After a call that is not recorded. */
#define SYN_UNSEEN_MAKES(K, SHAPE, result)
#define SYN_UNSEEN_MAKES_ALONE(K, SHAPE, result)
#define SYN_UNSEEN_MAKES_FROM_GROUP(K, SHAPE, result)             \
    if ((result) == MPI_SUCCESS && syn_comm_made_unseen) {        \
        const struct syn_origin origin = {SYN_ORIGIN_##SHAPE(K)}; \
        syn_comm_made_unseen(SYN_MADE_##SHAPE(K), &origin);       \
    }
#define SYN_UNSEEN_SPAWNS(K, SHAPE, result)
#define SYN_UNSEEN_FREES(K, SHAPE, result)
#define SYN_UNSEEN_USES(K, SHAPE, result)
#define SYN_UNSEEN_TRANSFERS(K, SHAPE, result)

/* Parameters of a form besides those of the shape. */
#define SYN_MORE_BLOCKING(K)
#define SYN_MORE_NAMES_BLOCKING
#define SYN_MORE_NONBLOCKING(K)    , K##_REQUEST(request)
#define SYN_MORE_NAMES_NONBLOCKING , request
#define SYN_MORE_SPLIT(K)
#define SYN_MORE_NAMES_SPLIT

/* ---- the wrappers in C ---- */

#define SYN_OTHER_WRAPPERS_MAX 160

/* Put them at wrappers [SYN_OTHER_WRAPPERS_MAX], those that this MPI lacks with the name NULL.
 * Returns how many. */
size_t syn_other_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
