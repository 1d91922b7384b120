/* tests/mpi/forms.h - the blocking calls of a program as another form of them. Of each MPI_X(...)
 * it makes, as the macros say, MPI_X_c(...), MPI_Ix(...) and a wait, or MPI_X_init(...), a start, a
 * wait and a free; EXPECT takes the blocking name and expects the record of the form. After
 * expect.h. */
#ifndef FORMS_H
#define FORMS_H

#include <ctype.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5 && defined(PERSISTENT)
#include <mpi-ext.h>
#define PERSISTENT_PREFIX MPIX_
#else
#define PERSISTENT_PREFIX MPI_
#endif

#ifdef LARGE
typedef MPI_Count count_type;
typedef MPI_Aint displacement_type;
#define WIDTH _c
#else
typedef int count_type;
typedef int displacement_type;
#define WIDTH
#endif

#define GLUE2(a, b)    a##b
#define GLUE(a, b)     GLUE2(a, b)
#define GLUE3(a, b, c) GLUE(a, GLUE(b, c))

/* Making and freeing communicators stay as they are. */
static const char *form_name(const char *blocking, char *name, size_t bytes)
{
    if (!strncmp(blocking, "Comm_", 5) || !strncmp(blocking, "Cart_", 5))
        return blocking;
#if defined(NONBLOCKING)
    snprintf(name, bytes, "I%s", blocking);
    name[1] = (char)tolower(name[1]);
#elif defined(PERSISTENT)
    snprintf(name, bytes, "%s_init", blocking);
#else
    snprintf(name, bytes, "%s", blocking);
#endif
    return name;
}

#undef EXPECT
#define EXPECT(op, on, bytes, root, flags) \
    expect(0, form_name(op, (char[64]){0}, 64), on, (long)(bytes), root, flags)

#if defined(NONBLOCKING)
#define CALL(Name, name, ...)                                     \
    do {                                                          \
        MPI_Request request_of_form;                              \
        GLUE3(MPI_I, name, WIDTH)(__VA_ARGS__, &request_of_form); \
        MPI_Wait(&request_of_form, MPI_STATUS_IGNORE);            \
    } while (0)
#elif defined(PERSISTENT)
#define CALL(Name, name, ...)                              \
    do {                                                   \
        MPI_Request request_of_form;                       \
        GLUE(PERSISTENT_PREFIX, GLUE3(Name, _init, WIDTH)) \
        (__VA_ARGS__, MPI_INFO_NULL, &request_of_form);    \
        MPI_Start(&request_of_form);                       \
        MPI_Wait(&request_of_form, MPI_STATUS_IGNORE);     \
        MPI_Request_free(&request_of_form);                \
    } while (0)
#elif defined(LARGE)
#define CALL(Name, name, ...) GLUE3(MPI_, Name, WIDTH)(__VA_ARGS__)
#endif

#if defined(NONBLOCKING) || defined(PERSISTENT) || defined(LARGE)
#define MPI_Bcast(...)                CALL(Bcast, bcast, __VA_ARGS__)
#define MPI_Gather(...)               CALL(Gather, gather, __VA_ARGS__)
#define MPI_Gatherv(...)              CALL(Gatherv, gatherv, __VA_ARGS__)
#define MPI_Scatter(...)              CALL(Scatter, scatter, __VA_ARGS__)
#define MPI_Scatterv(...)             CALL(Scatterv, scatterv, __VA_ARGS__)
#define MPI_Allgather(...)            CALL(Allgather, allgather, __VA_ARGS__)
#define MPI_Allgatherv(...)           CALL(Allgatherv, allgatherv, __VA_ARGS__)
#define MPI_Alltoall(...)             CALL(Alltoall, alltoall, __VA_ARGS__)
#define MPI_Alltoallv(...)            CALL(Alltoallv, alltoallv, __VA_ARGS__)
#define MPI_Alltoallw(...)            CALL(Alltoallw, alltoallw, __VA_ARGS__)
#define MPI_Reduce(...)               CALL(Reduce, reduce, __VA_ARGS__)
#define MPI_Allreduce(...)            CALL(Allreduce, allreduce, __VA_ARGS__)
#define MPI_Reduce_scatter(...)       CALL(Reduce_scatter, reduce_scatter, __VA_ARGS__)
#define MPI_Reduce_scatter_block(...) CALL(Reduce_scatter_block, reduce_scatter_block, __VA_ARGS__)
#define MPI_Scan(...)                 CALL(Scan, scan, __VA_ARGS__)
#define MPI_Exscan(...)               CALL(Exscan, exscan, __VA_ARGS__)
#define MPI_Neighbor_allgather(...)   CALL(Neighbor_allgather, neighbor_allgather, __VA_ARGS__)
#define MPI_Neighbor_allgatherv(...)  CALL(Neighbor_allgatherv, neighbor_allgatherv, __VA_ARGS__)
#define MPI_Neighbor_alltoall(...)    CALL(Neighbor_alltoall, neighbor_alltoall, __VA_ARGS__)
#define MPI_Neighbor_alltoallv(...)   CALL(Neighbor_alltoallv, neighbor_alltoallv, __VA_ARGS__)
#define MPI_Neighbor_alltoallw(...)   CALL(Neighbor_alltoallw, neighbor_alltoallw, __VA_ARGS__)
#endif

/* Has no counts, and so no large form. */
#if defined(NONBLOCKING)
#define MPI_Barrier(comm)                              \
    do {                                               \
        MPI_Request request_of_form;                   \
        MPI_Ibarrier(comm, &request_of_form);          \
        MPI_Wait(&request_of_form, MPI_STATUS_IGNORE); \
    } while (0)
#elif defined(PERSISTENT)
#define MPI_Barrier(comm)                                                             \
    do {                                                                              \
        MPI_Request request_of_form;                                                  \
        GLUE(PERSISTENT_PREFIX, Barrier_init)(comm, MPI_INFO_NULL, &request_of_form); \
        MPI_Start(&request_of_form);                                                  \
        MPI_Wait(&request_of_form, MPI_STATUS_IGNORE);                                \
        MPI_Request_free(&request_of_form);                                           \
    } while (0)
#endif

#endif
