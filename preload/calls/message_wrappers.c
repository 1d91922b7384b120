/* preload/calls/message_wrappers.c - the wrappers of messages in C, expanded from messages.def.
 * WORD_...(word): how C passes a parameter (message_wrappers.h). */
#include "preload/calls/message_wrappers.h"

#include <mpi.h>

#define WORD_INT(word)        ((int)(word))
#define WORD_COMM(word)       ((MPI_Comm)(word))
#define WORD_WINDOW_KEY(word) syn_key_of_window((MPI_Win)(word))
#define WORD_COUNT(word)      (is_large ? (int64_t)(word) : (int)(word))
#define WORD_TYPE(word)       ((MPI_Datatype)(word))
#define WORD_REQUEST(word)    (*(const MPI_Request *)(word))
/* Matched messages have different keys in C and in Fortran, because equal numbers may be different
 * handles. */
#define WORD_MESSAGE_KEY(word) SYN_KEY_OF_MESSAGE(*(const MPI_Message *)(word))
#define WORD_STATUS(word)      ((const MPI_Status *)(word))
#define WORD_IS_IGNORED(word)  (WORD_STATUS(word) == MPI_STATUS_IGNORE)
#define WORD_NEED_RESULT(last)
#define WORD_RESULT(result, last) ((int)(result))

#define SMALL_FORM(...)
#define LARGE_FORM(Name, count, WAITS, MOVES) \
    SYN_MESSAGE_WRAPPER(Name##_c, count, SYN_CALL_##Name, WAITS, MOVES, 1)
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES) \
    SYN_MESSAGE_WRAPPER(Name, count, SYN_CALL_##Name, WAITS, MOVES, 0) \
    LARGE##_FORM(Name, count, WAITS, MOVES)
#define SMALL_OFTEN(...)
#define LARGE_OFTEN(Name, count, MOVES) \
    SYN_PREPARED_WRAPPER(Name##_c, count, SYN_CALL_##Name, MOVES, 1)
#define SYN_PREPARED(row, Name, name, NAME, count, LARGE, MOVES) \
    SYN_PREPARED_WRAPPER(Name, count, SYN_CALL_##Name, MOVES, 0) \
    LARGE##_OFTEN(Name, count, MOVES)
#include "trace/base/messages.def"

/* Checks the functions against mpi.h: each has this number of parameters, and 0 can be passed for
 * each of them, so each is an integer or a pointer. */
#define ZEROS_1  0
#define ZEROS_2  0, 0
#define ZEROS_3  0, 0, 0
#define ZEROS_4  0, 0, 0, 0
#define ZEROS_5  0, 0, 0, 0, 0
#define ZEROS_6  0, 0, 0, 0, 0, 0
#define ZEROS_7  0, 0, 0, 0, 0, 0, 0
#define ZEROS_8  0, 0, 0, 0, 0, 0, 0, 0
#define ZEROS_9  0, 0, 0, 0, 0, 0, 0, 0, 0
#define ZEROS_10 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define ZEROS_12 ZEROS_6, ZEROS_6
#define ZEROS_13 ZEROS_6, ZEROS_7
/* The mpi.h for the standard ABI declares only what this backend uses. */
#if MPI_VERSION >= 4 && !defined(SYN_MPI_IS_ABI)
#define SMALL_CHECK(Name, count)
#define LARGE_CHECK(Name, count) \
    _Static_assert(sizeof MPI_##Name##_c(ZEROS_##count) == sizeof(int), #Name "_c");
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES)      \
    _Static_assert(sizeof MPI_##Name(ZEROS_##count) == sizeof(int), #Name); \
    LARGE##_CHECK(Name, count)
#include "trace/base/messages.def"
#endif

static void add_wrapper(const struct syn_host *host, struct syn_wrapper *wrapper, const char *name,
                        void *next, void (*function)(void))
{
    void *found = host->symbol(name);
    *wrapper = found ? (struct syn_wrapper){name, function} : (struct syn_wrapper){0};
    if (found)
        __atomic_store_n((void **)next, found, __ATOMIC_RELAXED);
}

size_t syn_messages_wrap(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
#define ADD(Name) \
    add_wrapper(host, &wrappers[used++], "MPI_" #Name, &next_##Name, (void (*)(void))wrap_##Name);
#define SMALL_ADD(Name)
#define LARGE_ADD(Name) ADD(Name##_c)
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES) \
    ADD(Name)                                                          \
    LARGE##_ADD(Name)
#define SYN_PREPARED(row, Name, name, NAME, count, LARGE, MOVES) \
    ADD(Name)                                                    \
    LARGE##_ADD(Name)
#include "trace/base/messages.def"
    return used;
}
