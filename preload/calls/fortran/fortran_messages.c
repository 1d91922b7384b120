/* preload/calls/fortran/fortran_messages.c - the wrappers of messages for Fortran
 * (fortran_wrappers.h), expanded from messages.def. All parameters are addresses: of values or of
 * descriptors, or NULL. */
#include "preload/calls/message_wrappers.h"
#include "preload/mpi/fortran.h"
#include "preload/mpi/fortran_wrappers.h"

/* Number of parameters with ierror. */
#define ONE_MORE_1  2
#define ONE_MORE_2  3
#define ONE_MORE_3  4
#define ONE_MORE_4  5
#define ONE_MORE_5  6
#define ONE_MORE_6  7
#define ONE_MORE_7  8
#define ONE_MORE_8  9
#define ONE_MORE_9  10
#define ONE_MORE_10 11
#define ONE_MORE_12 13
#define ONE_MORE_13 14

#define WORD_INT(word)        (*(const MPI_Fint *)(word))
#define WORD_COMM(word)       syn_comm_f2c(WORD_INT(word))
#define WORD_WINDOW_KEY(word) syn_key_of_window(syn_window_f2c(WORD_INT(word)))
#define WORD_COUNT(word)      (is_large ? *(const MPI_Count *)(word) : WORD_INT(word))
#define WORD_TYPE(word)       syn_type_f2c(WORD_INT(word))
#define WORD_REQUEST(word)    syn_request_f2c(WORD_INT(word))
/* Matched messages have different keys in C and in Fortran, because equal numbers may be different
 * handles. */
#define WORD_MESSAGE_KEY(word) (SYN_KEY_OF_MESSAGE((uint32_t)WORD_INT(word)) ^ UINT64_C(1) << 61)
#define WORD_STATUS(word)      ((const MPI_Status *)(word))
#define WORD_IS_IGNORED(word)  syn_fortran_ignores(WORD_STATUS(word))
#define WORD_NEED_RESULT(last) \
    if (!(last))               \
    (last) = (syn_word)&own_result
#define WORD_RESULT(result, last) WORD_INT(last)

#define WRAPPER(member, count, id, WAITS, MOVES, WIDTH) \
    SYN_MESSAGE_WRAPPER(member, count, id, WAITS, MOVES, WIDTH)
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES)        \
    WRAPPER(f_##name, ONE_MORE_##count, SYN_CALL_##Name, WAITS, MOVES, 0)     \
    WRAPPER(f08_##name, ONE_MORE_##count, SYN_CALL_##Name, WAITS, MOVES, 0)   \
    WRAPPER(ts_##name, ONE_MORE_##count, SYN_CALL_##Name, WAITS, MOVES, 0)    \
    WRAPPER(large_##name, ONE_MORE_##count, SYN_CALL_##Name, WAITS, MOVES, 1) \
    WRAPPER(fts_##name, ONE_MORE_##count, SYN_CALL_##Name, WAITS, MOVES, 0)
#define OFTEN(member, count, id, MOVES, WIDTH) SYN_PREPARED_WRAPPER(member, count, id, MOVES, WIDTH)
#define SYN_PREPARED(row, Name, name, NAME, count, LARGE, MOVES)     \
    OFTEN(f_##name, ONE_MORE_##count, SYN_CALL_##Name, MOVES, 0)     \
    OFTEN(f08_##name, ONE_MORE_##count, SYN_CALL_##Name, MOVES, 0)   \
    OFTEN(ts_##name, ONE_MORE_##count, SYN_CALL_##Name, MOVES, 0)    \
    OFTEN(large_##name, ONE_MORE_##count, SYN_CALL_##Name, MOVES, 1) \
    OFTEN(fts_##name, ONE_MORE_##count, SYN_CALL_##Name, MOVES, 0)
#include "trace/base/messages.def"

size_t syn_fortran_messages_wrap(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES)   \
    SYN_FORTRAN_ADD(f_##name, SYN_SPELLINGS("mpi_" #name, "MPI_" #NAME)) \
    SYN_FORTRAN_ADD(f08_##name, {"mpi_" #name "_f08_"})                  \
    SYN_FORTRAN_ADD(ts_##name, {"mpi_" #name "_f08ts_"})
#define SYN_PREPARED(row, Name, name, NAME, count, LARGE, MOVES) \
    SYN_MESSAGE(row, Name, name, NAME, count, LARGE, NOBODY(), MOVES)
#include "trace/base/messages.def"
    return used;
}

size_t syn_fortran_wide_messages_wrap(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES) \
    SYN_FORTRAN_ADD_WIDE(name, "mpi_" #name)
#define SYN_PREPARED(row, Name, name, NAME, count, LARGE, MOVES) \
    SYN_FORTRAN_ADD_WIDE(name, "mpi_" #name)
#include "trace/base/messages.def"
    return used;
}
