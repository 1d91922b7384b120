/* preload/calls/message_wrappers.h - macros that make the wrappers of messages from the rows of
 * messages.def. The file that includes this one defines, for its language, how a parameter is read:
 * WORD_INT(word), WORD_COMM(word) and so on. */
#ifndef SYN_MESSAGE_WRAPPERS_H
#define SYN_MESSAGE_WRAPPERS_H

#include <stddef.h>
#include <stdint.h>

#include "preload/calls/message_events.h"
#include "preload/calls/messages.h"
#include "preload/comms/communicators.h"
#include "preload/entry/backend.h"

/* ---- parameters as words: a wrapper knows only the number of its parameters ----
 *
 * RATIONALE: All parameters of the functions of messages.def are integers or pointers. In the
 * calling conventions of 64-bit Linux systems each takes a register or a stack slot of its own. So
 * a wrapper can pass them on as words, unchanged. A function that reads an int ignores the upper
 * half of the word. The result is an int or nothing, in the register for a result of one word. */
typedef intptr_t syn_word;
_Static_assert(sizeof(syn_word) == 8, "parameters are words");

#define SYN_TYPES_1  syn_word
#define SYN_TYPES_2  SYN_TYPES_1, syn_word
#define SYN_TYPES_3  SYN_TYPES_2, syn_word
#define SYN_TYPES_4  SYN_TYPES_3, syn_word
#define SYN_TYPES_5  SYN_TYPES_4, syn_word
#define SYN_TYPES_6  SYN_TYPES_5, syn_word
#define SYN_TYPES_7  SYN_TYPES_6, syn_word
#define SYN_TYPES_8  SYN_TYPES_7, syn_word
#define SYN_TYPES_9  SYN_TYPES_8, syn_word
#define SYN_TYPES_10 SYN_TYPES_9, syn_word
#define SYN_TYPES_11 SYN_TYPES_10, syn_word
#define SYN_TYPES_12 SYN_TYPES_11, syn_word
#define SYN_TYPES_13 SYN_TYPES_12, syn_word
#define SYN_TYPES_14 SYN_TYPES_13, syn_word

#define SYN_WORDS_1  syn_word a
#define SYN_WORDS_2  SYN_WORDS_1, syn_word b
#define SYN_WORDS_3  SYN_WORDS_2, syn_word c
#define SYN_WORDS_4  SYN_WORDS_3, syn_word d
#define SYN_WORDS_5  SYN_WORDS_4, syn_word e
#define SYN_WORDS_6  SYN_WORDS_5, syn_word f
#define SYN_WORDS_7  SYN_WORDS_6, syn_word g
#define SYN_WORDS_8  SYN_WORDS_7, syn_word h
#define SYN_WORDS_9  SYN_WORDS_8, syn_word i
#define SYN_WORDS_10 SYN_WORDS_9, syn_word j
#define SYN_WORDS_11 SYN_WORDS_10, syn_word k
#define SYN_WORDS_12 SYN_WORDS_11, syn_word l
#define SYN_WORDS_13 SYN_WORDS_12, syn_word m
#define SYN_WORDS_14 SYN_WORDS_13, syn_word n

#define SYN_NAMES_1  a
#define SYN_NAMES_2  SYN_NAMES_1, b
#define SYN_NAMES_3  SYN_NAMES_2, c
#define SYN_NAMES_4  SYN_NAMES_3, d
#define SYN_NAMES_5  SYN_NAMES_4, e
#define SYN_NAMES_6  SYN_NAMES_5, f
#define SYN_NAMES_7  SYN_NAMES_6, g
#define SYN_NAMES_8  SYN_NAMES_7, h
#define SYN_NAMES_9  SYN_NAMES_8, i
#define SYN_NAMES_10 SYN_NAMES_9, j
#define SYN_NAMES_11 SYN_NAMES_10, k
#define SYN_NAMES_12 SYN_NAMES_11, l
#define SYN_NAMES_13 SYN_NAMES_12, m
#define SYN_NAMES_14 SYN_NAMES_13, n

#define SYN_LAST_1  a
#define SYN_LAST_2  b
#define SYN_LAST_3  c
#define SYN_LAST_4  d
#define SYN_LAST_5  e
#define SYN_LAST_6  f
#define SYN_LAST_7  g
#define SYN_LAST_8  h
#define SYN_LAST_9  i
#define SYN_LAST_10 j
#define SYN_LAST_11 k
#define SYN_LAST_12 l
#define SYN_LAST_13 m
#define SYN_LAST_14 n

/* SYN_WAIT_...: write the open line of `message`, by WAITS of messages.def. NOBODY opens no line.
 * They use WORD_INT(word), WORD_COMM(word), WORD_WINDOW_KEY(word). */
#define SYN_WAIT_COMM(word) \
    SYN_OPEN_SET(message.line->comm, syn_open_index(message.self, WORD_COMM(word)))
#define SYN_WAIT_WINDOW(word) \
    SYN_OPEN_SET(message.line->comm, syn_open_index_of(WORD_WINDOW_KEY(word)))
#define SYN_WAIT_TO(peer_word, tag_word)                   \
    SYN_OPEN_SET(message.line->peer, WORD_INT(peer_word)); \
    SYN_OPEN_SET(message.line->tag, WORD_INT(tag_word))
#define SYN_WAIT_FROM(peer_word, tag_word)                      \
    SYN_OPEN_SET(message.line->from_peer, WORD_INT(peer_word)); \
    SYN_OPEN_SET(message.line->from_tag, WORD_INT(tag_word))

/* SYN_OPENS_...: 1 if WAITS opens a line, which has the call stack. */
#define SYN_OPENS_SENDS(...)     1
#define SYN_OPENS_RECEIVES(...)  1
#define SYN_OPENS_EXCHANGES(...) 1
#define SYN_OPENS_TARGETS(...)   1
#define SYN_OPENS_ACCESSES(...)  1
#define SYN_OPENS_SOMEBODY()     1
#define SYN_OPENS_NOBODY()       0

#define SYN_WAIT_SENDS(peer, tag, comm) \
    SYN_MESSAGE_LINE(id);               \
    SYN_WAIT_TO(peer, tag);             \
    SYN_WAIT_COMM(comm)
#define SYN_WAIT_RECEIVES(peer, tag, comm) \
    SYN_MESSAGE_LINE(id);                  \
    SYN_WAIT_FROM(peer, tag);              \
    SYN_WAIT_COMM(comm)
#define SYN_WAIT_EXCHANGES(to, to_tag, from, from_tag, comm) \
    SYN_MESSAGE_LINE(id);                                    \
    SYN_WAIT_TO(to, to_tag);                                 \
    SYN_WAIT_FROM(from, from_tag);                           \
    SYN_WAIT_COMM(comm)
#define SYN_WAIT_TARGETS(target, window)                \
    SYN_MESSAGE_LINE(id);                               \
    SYN_OPEN_SET(message.line->peer, WORD_INT(target)); \
    SYN_WAIT_WINDOW(window)
#define SYN_WAIT_ACCESSES(window) \
    SYN_MESSAGE_LINE(id);         \
    SYN_WAIT_WINDOW(window)
#define SYN_WAIT_SOMEBODY() SYN_MESSAGE_LINE(id)
#define SYN_WAIT_NOBODY()

/* SYN_BEFORE_... and SYN_AFTER_...: the steps before and after MPI's function, by MOVES of
 * messages.def. SYN_BEFORE_... runs only if the call is measured. They use WORD_COUNT(word),
 * WORD_TYPE(word), WORD_REQUEST(word), WORD_MESSAGE_KEY(word) and WORD_STATUS(word).
 * WORD_IS_IGNORED(word) is true if a status is ignored. WORD_RESULT(result, last) is MPI's result:
 * the return value in C, the last parameter in Fortran. WORD_NEED_RESULT(last) replaces an absent
 * last parameter. */
#define SYN_IS_WILD(peer, tag) (WORD_INT(peer) == MPI_ANY_SOURCE || WORD_INT(tag) == MPI_ANY_TAG)
#define SYN_NEED_STATUS(status, needed)                            \
    if (syn_message_events && (needed) && WORD_IS_IGNORED(status)) \
        status = (syn_word)&own_status;

#define SYN_BEFORE_NOTHING()
#define SYN_BEFORE_CANCELS(request)
#define SYN_BEFORE_SENDS_NOW(...) WORD_NEED_RESULT(*last)
#define SYN_BEFORE_TAKES_NOW(count, type, peer, tag, comm, status) \
    WORD_NEED_RESULT(*last);                                       \
    SYN_NEED_STATUS(status, SYN_IS_WILD(peer, tag))
#define SYN_BEFORE_SWAPS_NOW(c, t, to, to_tag, count, type, peer, tag, comm, status) \
    SYN_BEFORE_TAKES_NOW(count, type, peer, tag, comm, status)
#define SYN_BEFORE_SENDS_LATER(...) WORD_NEED_RESULT(*last)
#define SYN_BEFORE_TAKES_LATER(...) WORD_NEED_RESULT(*last)
#define SYN_BEFORE_SWAPS_LATER(...) WORD_NEED_RESULT(*last)
#define SYN_BEFORE_MATCHES(peer, tag, comm, handle, status) \
    SYN_BEFORE_TAKES_NOW(0, 0, peer, tag, comm, status)
#define SYN_BEFORE_MATCHES_IF(peer, tag, comm, flag, handle, status) \
    SYN_BEFORE_TAKES_NOW(0, 0, peer, tag, comm, status)
#define SYN_BEFORE_CLAIMS_NOW(count, type, handle, status) \
    WORD_NEED_RESULT(*last);                               \
    claimed = WORD_MESSAGE_KEY(handle)
#define SYN_BEFORE_CLAIMS_LATER(count, type, handle, request) \
    WORD_NEED_RESULT(*last);                                  \
    claimed = WORD_MESSAGE_KEY(handle)

#define SYN_SEND_PLAIN       0
#define SYN_SEND_SYNCHRONOUS SYN_MESSAGE_SYNCHRONOUS
#define SYN_SEND_BUFFERED    SYN_MESSAGE_BUFFERED

/* Initializer of a struct syn_posted. */
#define SYN_POSTED(kind, count_word, type_word, peer_word, tag_word, comm_word)                 \
    {                                                                                           \
        .id = id, .attributes = (kind), .peer = WORD_INT(peer_word), .tag = WORD_INT(tag_word), \
        .count = WORD_COUNT(count_word), .type = WORD_TYPE(type_word),                          \
        .comm = WORD_COMM(comm_word), .result = WORD_RESULT(result, *last)                      \
    }
#define SYN_STATUS(word) (WORD_IS_IGNORED(word) ? NULL : WORD_STATUS(word))

/* Runs these statements, which store the event, if messages are events; else adds the time to the
 * sum. */
#define SYN_AFTER(...)                                             \
    if (__builtin_expect(message.self && syn_message_events, 1)) { \
        message.end_ticks = syn_now();                             \
        __VA_ARGS__;                                               \
    } else {                                                       \
        syn_message_end(&message);                                 \
    }
/* Like SYN_AFTER, for an event with a call stack: that of the open line, if there is one. */
#define SYN_AFTER_EVENT(...) \
    SYN_AFTER(if (!opens_line) syn_message_take_stack(&message, SYN_MESSAGE_CALLER); __VA_ARGS__)
/* The wrapper's frame address and its return address: arguments of functions. */
#define SYN_MESSAGE_CALLER \
    (uintptr_t) __builtin_frame_address(0), (uintptr_t)__builtin_return_address(0)

#define SYN_AFTER_NOTHING() syn_message_end(&message)
#define SYN_AFTER_CANCELS(request) \
    SYN_AFTER(syn_message_cancels(&message, SYN_KEY_OF_REQUEST(WORD_REQUEST(request))))
#define SYN_AFTER_SENDS_NOW(KIND, count, type, peer, tag, comm)                    \
    SYN_AFTER_EVENT(const struct syn_posted sent =                                 \
                        SYN_POSTED(SYN_SEND_##KIND, count, type, peer, tag, comm); \
                    syn_message_now(&message, &sent, 1, NULL))
#define SYN_AFTER_TAKES_NOW(count, type, peer, tag, comm, status)                      \
    SYN_AFTER_EVENT(const struct syn_posted taken =                                    \
                        SYN_POSTED(SYN_MESSAGE_RECEIVE, count, type, peer, tag, comm); \
                    syn_message_now(&message, &taken, 1, SYN_STATUS(status)))
#define SYN_BOTH(c, t, to, to_tag, count, type, peer, tag, comm) \
    const struct syn_posted both[] = {                           \
        SYN_POSTED(0, c, t, to, to_tag, comm),                   \
        SYN_POSTED(SYN_MESSAGE_RECEIVE, count, type, peer, tag, comm)}
#define SYN_AFTER_SWAPS_NOW(c, t, to, to_tag, count, type, peer, tag, comm, status) \
    SYN_AFTER_EVENT(SYN_BOTH(c, t, to, to_tag, count, type, peer, tag, comm);       \
                    syn_message_now(&message, both, 2, SYN_STATUS(status)))
/* No such call opens a line: syn_message_later takes the call stack. */
#define SYN_AFTER_SENDS_LATER(KIND, count, type, peer, tag, comm, request)   \
    SYN_AFTER(const struct syn_posted sent =                                 \
                  SYN_POSTED(SYN_SEND_##KIND, count, type, peer, tag, comm); \
              syn_message_later(&message, &sent, 1, SYN_REQUEST_OF(request), SYN_MESSAGE_CALLER))
#define SYN_AFTER_TAKES_LATER(count, type, peer, tag, comm, request)             \
    SYN_AFTER(const struct syn_posted taken =                                    \
                  SYN_POSTED(SYN_MESSAGE_RECEIVE, count, type, peer, tag, comm); \
              syn_message_later(&message, &taken, 1, SYN_REQUEST_OF(request), SYN_MESSAGE_CALLER))
#define SYN_AFTER_SWAPS_LATER(c, t, to, to_tag, count, type, peer, tag, comm, request) \
    SYN_AFTER(SYN_BOTH(c, t, to, to_tag, count, type, peer, tag, comm);                \
              syn_message_later(&message, both, 2, SYN_REQUEST_OF(request), SYN_MESSAGE_CALLER))
/* The request, which is read only after a call that succeeded. */
#define SYN_REQUEST_OF(word) \
    (WORD_RESULT(result, *last) == MPI_SUCCESS ? WORD_REQUEST(word) : (MPI_Request)0)

#define SYN_PROBED(peer_word, tag_word, comm_word)                                           \
    {                                                                                        \
        .attributes = SYN_MESSAGE_RECEIVE | SYN_MESSAGE_PROBED, .peer = WORD_INT(peer_word), \
        .tag = WORD_INT(tag_word), .comm = WORD_COMM(comm_word),                             \
        .result = WORD_RESULT(result, *last)                                                 \
    }
#define SYN_AFTER_MATCHES(peer, tag, comm, handle, status)                                        \
    SYN_AFTER(const struct syn_posted probed = SYN_PROBED(peer, tag, comm); syn_message_matched(  \
                  &message, &probed, probed.result == MPI_SUCCESS ? WORD_MESSAGE_KEY(handle) : 0, \
                  SYN_STATUS(status)))
#define SYN_AFTER_MATCHES_IF(peer, tag, comm, flag, handle, status)                              \
    SYN_AFTER(                                                                                   \
        const struct syn_posted probed = SYN_PROBED(peer, tag, comm); syn_message_matched(       \
            &message, &probed,                                                                   \
            probed.result == MPI_SUCCESS && *(const int *)(flag) ? WORD_MESSAGE_KEY(handle) : 0, \
            SYN_STATUS(status)))
#define SYN_CLAIMED(count_word, type_word)                                       \
    {                                                                            \
        .id = id, .count = WORD_COUNT(count_word), .type = WORD_TYPE(type_word), \
        .result = WORD_RESULT(result, *last)                                     \
    }
#define SYN_AFTER_CLAIMS_NOW(count, type, handle, status)               \
    SYN_AFTER_EVENT(struct syn_posted taken = SYN_CLAIMED(count, type); \
                    syn_message_claimed(&message, &taken, claimed, SYN_STATUS(status), NULL))
#define SYN_AFTER_CLAIMS_LATER(count, type, handle, request)              \
    SYN_AFTER_EVENT(struct syn_posted taken = SYN_CLAIMED(count, type);   \
                    const MPI_Request claiming = SYN_REQUEST_OF(request); \
                    syn_message_claimed(&message, &taken, claimed, NULL, &claiming))

/* The wrapper of a function with `count` parameters, and the pointer to the next function. WIDTH 1:
 * the function has large counts. */
#define SYN_MESSAGE_WRAPPER(member, count, call_id, WAITS, MOVES, WIDTH)             \
    static syn_word (*next_##member)(SYN_TYPES_##count);                             \
    static syn_word wrap_##member(SYN_WORDS_##count)                                 \
    {                                                                                \
        enum { id = call_id, is_large = WIDTH, opens_line = SYN_OPENS_##WAITS };     \
        __attribute__((unused)) MPI_Status own_status;                               \
        __attribute__((unused)) MPI_Fint own_result = 0;                             \
        __attribute__((unused)) uintptr_t claimed = 0;                               \
        __attribute__((unused)) syn_word *const last = &SYN_LAST_##count;            \
        SYN_MESSAGE_BEGIN(SYN_WAIT_##WAITS; SYN_BEFORE_##MOVES);                     \
        const syn_word result = next_##member(SYN_NAMES_##count);                    \
        if ((int)id >= SYN_CALL_Put && (int)id <= SYN_CALL_Win_test && message.self) \
            message.self->one_sided_count++;                                         \
        SYN_AFTER_##MOVES;                                                           \
        return result;                                                               \
    }

/* The steps after a call that makes a persistent request. Its time is not measured. */
#define SYN_OFTEN_SENDS_OFTEN(KIND, count, type, peer, tag, comm, request)                  \
    const struct syn_posted often =                                                         \
        SYN_POSTED(SYN_SEND_##KIND | SYN_MESSAGE_PERSISTENT, count, type, peer, tag, comm); \
    syn_message_prepared(self, &often, 1, SYN_REQUEST_OF(request))
#define SYN_OFTEN_TAKES_OFTEN(count, type, peer, tag, comm, request)                            \
    const struct syn_posted often =                                                             \
        SYN_POSTED(SYN_MESSAGE_RECEIVE | SYN_MESSAGE_PERSISTENT, count, type, peer, tag, comm); \
    syn_message_prepared(self, &often, 1, SYN_REQUEST_OF(request))
#define SYN_OFTEN_SENDS_PARTS(parts, count, type, peer, tag, comm, request)                      \
    const struct syn_posted often = SYN_POSTED(SYN_MESSAGE_PERSISTENT | SYN_MESSAGE_PARTITIONED, \
                                               count, type, peer, tag, comm);                    \
    syn_message_prepared(self, &often, WORD_INT(parts), SYN_REQUEST_OF(request))
#define SYN_OFTEN_TAKES_PARTS(parts, count, type, peer, tag, comm, request)                       \
    const struct syn_posted often =                                                               \
        SYN_POSTED(SYN_MESSAGE_RECEIVE | SYN_MESSAGE_PERSISTENT | SYN_MESSAGE_PARTITIONED, count, \
                   type, peer, tag, comm);                                                        \
    syn_message_prepared(self, &often, WORD_INT(parts), SYN_REQUEST_OF(request))

/* The wrapper of a function that makes a persistent request. */
#define SYN_PREPARED_WRAPPER(member, count, call_id, MOVES, WIDTH)                        \
    static syn_word (*next_##member)(SYN_TYPES_##count);                                  \
    static syn_word wrap_##member(SYN_WORDS_##count)                                      \
    {                                                                                     \
        enum { id = call_id, is_large = WIDTH };                                          \
        __attribute__((unused)) MPI_Fint own_result = 0;                                  \
        __attribute__((unused)) syn_word *const last = &SYN_LAST_##count;                 \
        struct syn_thread *self =                                                         \
            syn_message_events ? syn_enter((uintptr_t)__builtin_frame_address(0)) : NULL; \
        if (!self)                                                                        \
            return next_##member(SYN_NAMES_##count);                                      \
        WORD_NEED_RESULT(*last);                                                          \
        const syn_word result = next_##member(SYN_NAMES_##count);                         \
        SYN_OFTEN_##MOVES;                                                                \
        syn_leave(self);                                                                  \
        return result;                                                                    \
    }

/* Fill `wrappers`; a wrapper whose function this MPI lacks gets the name NULL. Return the number of
 * wrappers, at most these numbers. */
#define SYN_MESSAGE_WRAPPERS         (64 * 2)
#define SYN_FORTRAN_MESSAGE_WRAPPERS (64 * 9)
size_t syn_messages_wrap(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_fortran_messages_wrap(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_fortran_wide_messages_wrap(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
