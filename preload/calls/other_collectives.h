/* preload/calls/other_collectives.h - records the collectives on communicators, windows and files:
 * the steps after MPI's function has returned, and the macros for the wrappers in C and Fortran. */
#ifndef SYN_OTHER_COLLECTIVES_H
#define SYN_OTHER_COLLECTIVES_H

#include <stddef.h>

#include "preload/calls/call.h"
#include "preload/calls/spawn.h"
#include "preload/comms/communicators.h"
#include "preload/entry/backend.h"

/* ---- after the call; each ends in syn_call_leave ---- */

/* The call made `made` out of `parent`. `made` is read only if the call succeeded. The event
 * belongs to `parent`; with `alone`, to the new communicator. */
void syn_other_made(const struct syn_call *call, const struct syn_operation *operation, bool alone,
                    uintptr_t parent, const struct syn_origin *origin, uintptr_t made);
/* The call made `made` out of groups, without a parent. The event belongs to the new communicator.
 * */
void syn_other_made_from_group(const struct syn_call *call, const struct syn_operation *operation,
                               const struct syn_origin *origin, uintptr_t made);
/* The call began to make `made`, a duplicate of `parent`. It is made when `request` completes. */
void syn_other_being_made(const struct syn_call *call, const struct syn_operation *operation,
                          uintptr_t parent, const struct syn_origin *origin, uintptr_t made,
                          MPI_Request request);
/* The call freed `freed`, the result of syn_comm_free_begin. */
void syn_other_freed(const struct syn_call *call, const struct syn_operation *operation,
                     struct syn_comm *freed);
/* Enters the wrapper of a call that frees `key` from within another MPI call. Returns NULL if MPI
 * itself makes the call. Sets *outer to the guard that syn_other_leave restores.
 * RATIONALE: Programs free communicators in delete callbacks of attributes, which MPI calls from
 * within one of the program's calls (mpi4py and PETSc do). Such a call is the program's. MPI itself
 * frees either a communicator that the program did not make, or the one that the outer call, in
 * Fortran, frees already. The return address says less: the last call of a callback may return into
 * MPI. */
struct syn_thread *syn_other_enter_to_free(uintptr_t frame, uintptr_t key, uintptr_t *outer);
/* Restores the guard of the outer call, after syn_other_freed. `outer` 0: there is none. */
void syn_other_leave(struct syn_thread *self, uintptr_t outer);
/* The call used the communicator, window or file `key`. */
void syn_other_used(const struct syn_call *call, const struct syn_operation *operation,
                    uintptr_t key, const struct syn_transfer *transfer);
/* Like syn_other_used, for a nonblocking call that `request` will complete. */
void syn_other_started(const struct syn_call *call, const struct syn_operation *operation,
                       uintptr_t key, const struct syn_transfer *transfer, MPI_Request request);
/* A split collective on the file `key`: the steps after MPI_..._begin, the open line of
 * MPI_..._end, and the steps after MPI_..._end. */
void syn_other_begun(const struct syn_call *call, const struct syn_operation *operation,
                     uintptr_t key, const struct syn_transfer *transfer);
void syn_other_open_end(struct syn_call *call, uintptr_t key);
void syn_other_ended(const struct syn_call *call, uintptr_t key);

/* ---- macros for the wrappers of both languages, by DOES of ops.def ---- */

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

/* Enter the wrapper: declares `self`, NULL if the call is not recorded. */
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

/* Write the open line. A call that frees from within another call keeps the outer call's line. */
#define SYN_OPEN_MAKES(K, SHAPE) syn_open_other(&call, operation.id, SYN_SUBJECT_##SHAPE(K), true)
#define SYN_OPEN_MAKES_ALONE(K, SHAPE) \
    syn_open_other(&call, operation.id, SYN_SUBJECT_##SHAPE(K), false)
#define SYN_OPEN_MAKES_FROM_GROUP(K, SHAPE) syn_open_other(&call, operation.id, 0, false)
#define SYN_OPEN_SPAWNS(K, SHAPE)           SYN_OPEN_MAKES(K, SHAPE)
#define SYN_OPEN_USES(K, SHAPE)             SYN_OPEN_MAKES(K, SHAPE)
#define SYN_OPEN_TRANSFERS(K, SHAPE)        SYN_OPEN_MAKES(K, SHAPE)
#define SYN_OPEN_FREES(K, SHAPE)            outer ? syn_open_private(&call) : SYN_OPEN_MAKES(K, SHAPE)

/* Steps before MPI's function. */
#define SYN_BEFORE_MAKES(K, SHAPE)
#define SYN_BEFORE_MAKES_ALONE(K, SHAPE)
#define SYN_BEFORE_MAKES_FROM_GROUP(K, SHAPE)
#define SYN_BEFORE_SPAWNS(K, SHAPE) \
    const uint32_t announced = syn_spawn_begin(SYN_SUBJECT_##SHAPE(K), K##_READ_INT(root));
#define SYN_BEFORE_FREES(K, SHAPE) \
    struct syn_comm *freed = syn_comm_free_begin(self, SYN_SUBJECT_##SHAPE(K));
#define SYN_BEFORE_USES(K, SHAPE)
#define SYN_BEFORE_TRANSFERS(K, SHAPE)

/* Steps after MPI's function, by DOES and form. A new handle is read only after a success. */
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
    syn_other_freed(&call, &operation, freed); \
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

/* Steps after a call that is not recorded. */
#define SYN_UNRECORDED_MAKES(K, SHAPE, result)
#define SYN_UNRECORDED_MAKES_ALONE(K, SHAPE, result)
#define SYN_UNRECORDED_MAKES_FROM_GROUP(K, SHAPE, result)         \
    if ((result) == MPI_SUCCESS && syn_comm_made_unrecorded) {    \
        const struct syn_origin origin = {SYN_ORIGIN_##SHAPE(K)}; \
        syn_comm_made_unrecorded(SYN_MADE_##SHAPE(K), &origin);   \
    }
#define SYN_UNRECORDED_SPAWNS(K, SHAPE, result)
#define SYN_UNRECORDED_FREES(K, SHAPE, result)
#define SYN_UNRECORDED_USES(K, SHAPE, result)
#define SYN_UNRECORDED_TRANSFERS(K, SHAPE, result)

/* Parameters that a form adds to those of the shape. */
#define SYN_MORE_BLOCKING(K)
#define SYN_MORE_NAMES_BLOCKING
#define SYN_MORE_NONBLOCKING(K)    , K##_REQUEST(request)
#define SYN_MORE_NAMES_NONBLOCKING , request
#define SYN_MORE_SPLIT(K)
#define SYN_MORE_NAMES_SPLIT

/* ---- the wrappers in C ---- */

#define SYN_OTHER_WRAPPERS_MAX 160

/* Fills wrappers [SYN_OTHER_WRAPPERS_MAX]; a wrapper whose function this MPI lacks gets the name
 * NULL. Returns the number of wrappers. */
size_t syn_other_collectives_add(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
