/* tests/mpi/abi_values.c - the values that a program gets out of an mpi.h of the standard ABI:
 * compiled with preload/abi's and with an MPI's own, the two have to print the same
 * (tests/mpi/abi_values.sh). */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

#define HANDLE(name) printf(#name " %#lx\n", (unsigned long)(name))
#define NUMBER(name) printf(#name " %ld\n", (long)(name))
#define SIZE(type)   printf("sizeof " #type " %zu\n", sizeof(type))
#define MEMBER(name) printf("offset " #name " %zu\n", offsetof(MPI_Status, name))
#define SAME(Name, F) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&MPI_##Name), F), #Name);

/* The lists of parameters where ours could go wrong unseen: widths. */
SAME(File_set_size, int (*)(MPI_File, MPI_Offset))
SAME(Type_size_x, int (*)(MPI_Datatype, MPI_Count *))
SAME(Get_address, int (*)(const void *, MPI_Aint *))
SAME(Win_create, int (*)(void *, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win *))

int main(void)
{
    HANDLE(MPI_COMM_NULL);
    HANDLE(MPI_COMM_WORLD);
    HANDLE(MPI_COMM_SELF);
    HANDLE(MPI_GROUP_NULL);
    HANDLE(MPI_GROUP_EMPTY);
    HANDLE(MPI_WIN_NULL);
    HANDLE(MPI_FILE_NULL);
    HANDLE(MPI_SESSION_NULL);
    HANDLE(MPI_INFO_NULL);
    HANDLE(MPI_ERRHANDLER_NULL);
    HANDLE(MPI_ERRORS_ARE_FATAL);
    HANDLE(MPI_ERRORS_ABORT);
    HANDLE(MPI_ERRORS_RETURN);
    HANDLE(MPI_REQUEST_NULL);
    HANDLE(MPI_OP_NULL);
    HANDLE(MPI_SUM);
    HANDLE(MPI_MIN);
    HANDLE(MPI_MAX);
    HANDLE(MPI_PROD);
    HANDLE(MPI_BAND);
    HANDLE(MPI_BOR);
    HANDLE(MPI_BXOR);
    HANDLE(MPI_LAND);
    HANDLE(MPI_LOR);
    HANDLE(MPI_LXOR);
    HANDLE(MPI_REPLACE);
    HANDLE(MPI_NO_OP);
    HANDLE(MPI_DATATYPE_NULL);
    HANDLE(MPI_AINT);
    HANDLE(MPI_COUNT);
    HANDLE(MPI_OFFSET);
    HANDLE(MPI_PACKED);
    HANDLE(MPI_SHORT);
    HANDLE(MPI_INT);
    HANDLE(MPI_LONG);
    HANDLE(MPI_LONG_LONG);
    HANDLE(MPI_UNSIGNED);
    HANDLE(MPI_UNSIGNED_LONG);
    HANDLE(MPI_UNSIGNED_LONG_LONG);
    HANDLE(MPI_FLOAT);
    HANDLE(MPI_DOUBLE);
    HANDLE(MPI_INT8_T);
    HANDLE(MPI_UINT8_T);
    HANDLE(MPI_CHAR);
    HANDLE(MPI_SIGNED_CHAR);
    HANDLE(MPI_UNSIGNED_CHAR);
    HANDLE(MPI_BYTE);
    HANDLE(MPI_INT32_T);
    HANDLE(MPI_INT64_T);
    HANDLE(MPI_UINT64_T);
    HANDLE(MPI_BOTTOM);
    HANDLE(MPI_IN_PLACE);
    HANDLE(MPI_STATUS_IGNORE);
    HANDLE(MPI_STATUSES_IGNORE);
    HANDLE(MPI_ARGV_NULL);
    HANDLE(MPI_ERRCODES_IGNORE);
    HANDLE(MPI_UNWEIGHTED);
    HANDLE(MPI_WEIGHTS_EMPTY);
    NUMBER(MPI_ABI_VERSION);
    NUMBER(MPI_MAX_OBJECT_NAME);
    NUMBER(MPI_MAX_LIBRARY_VERSION_STRING);
    NUMBER(MPI_ANY_SOURCE);
    NUMBER(MPI_ANY_TAG);
    NUMBER(MPI_PROC_NULL);
    NUMBER(MPI_ROOT);
    NUMBER(MPI_UNDEFINED);
    NUMBER(MPI_KEYVAL_INVALID);
    NUMBER(MPI_THREAD_SINGLE);
    NUMBER(MPI_THREAD_FUNNELED);
    NUMBER(MPI_THREAD_SERIALIZED);
    NUMBER(MPI_THREAD_MULTIPLE);
    NUMBER(MPI_CART);
    NUMBER(MPI_GRAPH);
    NUMBER(MPI_DIST_GRAPH);
    NUMBER(MPI_COMM_TYPE_SHARED);
    NUMBER(MPI_MODE_CREATE);
    NUMBER(MPI_MODE_DELETE_ON_CLOSE);
    NUMBER(MPI_MODE_RDWR);
    NUMBER(MPI_SEEK_SET);
    NUMBER(MPI_SUCCESS);
    NUMBER(MPI_ERR_BUFFER);
    NUMBER(MPI_ERR_COUNT);
    NUMBER(MPI_ERR_TYPE);
    NUMBER(MPI_ERR_TAG);
    NUMBER(MPI_ERR_COMM);
    NUMBER(MPI_ERR_RANK);
    NUMBER(MPI_ERR_REQUEST);
    NUMBER(MPI_ERR_ROOT);
    NUMBER(MPI_ERR_GROUP);
    NUMBER(MPI_ERR_OP);
    NUMBER(MPI_ERR_TOPOLOGY);
    NUMBER(MPI_ERR_DIMS);
    NUMBER(MPI_ERR_ARG);
    NUMBER(MPI_ERR_OTHER);
    NUMBER(MPI_ERR_AMODE);
    NUMBER(MPI_ERR_ASSERT);
    NUMBER(MPI_ERR_DISP);
    NUMBER(MPI_ERR_FILE);
    NUMBER(MPI_ERR_INFO);
    NUMBER(MPI_ERR_SIZE);
    NUMBER(MPI_ERR_UNSUPPORTED_OPERATION);
    NUMBER(MPI_ERR_WIN);
    SIZE(MPI_Comm);
    SIZE(MPI_Aint);
    SIZE(MPI_Count);
    SIZE(MPI_Offset);
    SIZE(MPI_Status);
    MEMBER(MPI_SOURCE);
    MEMBER(MPI_TAG);
    MEMBER(MPI_ERROR);
    return 0;
}
