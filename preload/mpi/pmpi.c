/* preload/mpi/pmpi.c - see pmpi.h. */
#include "preload/mpi/pmpi.h"

#include "sync/base/layout.h"
#include "sync/base/status.h"

struct syn_mpi syn_mpi SYN_NEAR;
struct syn_next syn_next;
struct syn_pmpi syn_pmpi;

/* Looks up a function and stores its address at `slot`, a pointer to a function of any type. POSIX
 * guarantees that such a pointer has the size of a void pointer. */
static int load(const struct syn_host *host, void *slot, const char *name, const char **missing)
{
    void *function = host->symbol(name);
    if (!function) {
        *missing = name;
        return SYN_EMISSING;
    }
    __atomic_store_n((void **)slot, function, __ATOMIC_RELAXED);
    return SYN_OK;
}

static int load_next(const struct syn_host *host, const char **missing)
{
    int status = SYN_OK;
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) \
    status = status != SYN_OK ? status : load(host, &syn_next.Name, "MPI_" #Name, missing);
#include "trace/base/ops.def"
#define SYN_LOAD(Name) \
    status = status != SYN_OK ? status : load(host, &syn_next.Name, "MPI_" #Name, missing);
    SYN_WRAPPED_BESIDES(SYN_LOAD)
#undef SYN_LOAD
    return status;
}

#ifdef OPEN_MPI
static int load_object(const struct syn_host *host, void *slot, const char *name,
                       const char **missing)
{
    void *object = host->object(name);
    if (!object) {
        *missing = name;
        return SYN_EMISSING;
    }
    __atomic_store_n((void **)slot, object, __ATOMIC_RELAXED);
    return SYN_OK;
}

/* An operation that the library lacks gets the handle NULL, which no program passes. */
static void load_reductions(const struct syn_host *host)
{
    static const struct {
        const char *name;
        enum syn_reduction kind;
    } kinds[SYN_REDUCTIONS_KNOWN] = {
        {"ompi_mpi_op_sum", SYN_REDUCTION_SUM},
        {"ompi_mpi_op_max", SYN_REDUCTION_MAX},
        {"ompi_mpi_op_min", SYN_REDUCTION_MIN},
        {"ompi_mpi_op_lor", SYN_REDUCTION_LOR},
        {"ompi_mpi_op_land", SYN_REDUCTION_LAND},
        {"ompi_mpi_op_bor", SYN_REDUCTION_BOR},
        {"ompi_mpi_op_band", SYN_REDUCTION_BAND},
        {"ompi_mpi_op_prod", SYN_REDUCTION_PROD},
        {"ompi_mpi_op_maxloc", SYN_REDUCTION_MAXLOC},
        {"ompi_mpi_op_minloc", SYN_REDUCTION_MINLOC},
        {"ompi_mpi_op_lxor", SYN_REDUCTION_LXOR},
        {"ompi_mpi_op_bxor", SYN_REDUCTION_BXOR},
        {"ompi_mpi_op_replace", SYN_REDUCTION_REPLACE},
        {"ompi_mpi_op_no_op", SYN_REDUCTION_NO_OP},
    };
    for (int i = 0; i < SYN_REDUCTIONS_KNOWN; i++) {
        syn_mpi.reductions[i].kind = kinds[i].kind;
        __atomic_store_n((void **)(void *)&syn_mpi.reductions[i].op, host->object(kinds[i].name),
                         __ATOMIC_RELAXED);
    }
}

static int load_objects(const struct syn_host *host, const char **missing)
{
    const struct {
        void *slot;
        const char *name;
    } objects[] = {
        {&syn_mpi.comm_world, "ompi_mpi_comm_world"},
        {&syn_mpi.comm_self, "ompi_mpi_comm_self"},
        {&syn_mpi.comm_null, "ompi_mpi_comm_null"},
        {&syn_mpi.byte, "ompi_mpi_byte"},
        {&syn_mpi.int64, "ompi_mpi_int64_t"},
        {&syn_mpi.max, "ompi_mpi_op_max"},
        {&syn_mpi.errors_return, "ompi_mpi_errors_return"},
    };
    int status = SYN_OK;
    load_reductions(host);
    static const char *const names[SYN_COMMON_TYPES] = {
        "ompi_mpi_int",           "ompi_mpi_double",  "ompi_mpi_byte",     "ompi_mpi_char",
        "ompi_mpi_long",          "ompi_mpi_float",   "ompi_mpi_unsigned", "ompi_mpi_int64_t",
        "ompi_mpi_unsigned_long", "ompi_mpi_uint64_t"};
    for (int i = 0; i < SYN_COMMON_TYPES; i++)
        __atomic_store_n((void **)(void *)&syn_mpi.common_types[i], host->object(names[i]),
                         __ATOMIC_RELAXED);
    for (size_t i = 0; status == SYN_OK && i < sizeof objects / sizeof *objects; i++)
        status = load_object(host, objects[i].slot, objects[i].name, missing);
    __atomic_store_n((void **)(void *)&syn_mpi.request_complete, host->object("ompi_request_empty"),
                     __ATOMIC_RELAXED);
    return status;
}
#else
static int load_objects(const struct syn_host *host, const char **missing)
{
    (void)host;
    (void)missing;
    syn_mpi = (struct syn_mpi){
        .comm_world = MPI_COMM_WORLD,
        .comm_self = MPI_COMM_SELF,
        .comm_null = MPI_COMM_NULL,
        .errors_return = MPI_ERRORS_RETURN,
        .byte = MPI_BYTE,
        .int64 = MPI_INT64_T,
        .common_types = {MPI_INT, MPI_DOUBLE, MPI_BYTE, MPI_CHAR, MPI_LONG, MPI_FLOAT, MPI_UNSIGNED,
                         MPI_INT64_T, MPI_UNSIGNED_LONG, MPI_UINT64_T},
        .max = MPI_MAX,
    };
    return SYN_OK;
}
#endif

/* ---- after MPI's initialization ---- */

#if defined SYN_MPI_IS_ABI
bool syn_pmpi_handles_agree(void)
{
    const int world = (int)(intptr_t)MPI_COMM_WORLD; /* a predefined handle is its number */
    return !syn_pmpi.Comm_fromint || syn_pmpi.Comm_fromint(world) == MPI_COMM_WORLD;
}

/* Waits for a request. */
static void finish(MPI_Request *request)
{
    for (int done = 0; !done;)
        if (syn_pmpi.Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
}

/* Starts two operations. They have the same handle only if it is the one for complete operations.
 * */
static void learn_complete(MPI_Comm alone)
{
    MPI_Request first = MPI_REQUEST_NULL, second = MPI_REQUEST_NULL;
    if (syn_pmpi.Ibarrier(alone, &first) != MPI_SUCCESS)
        return;
    if (syn_pmpi.Ibarrier(alone, &second) == MPI_SUCCESS) {
        if (first == second && first != MPI_REQUEST_NULL)
            syn_mpi.request_complete = first;
        finish(&second);
    }
    finish(&first);
}

void syn_pmpi_learn(MPI_Comm all, MPI_Comm alone)
{
    MPI_Comm made = MPI_COMM_NULL;
    int rank = 0;
    if (alone == MPI_COMM_NULL && (syn_pmpi.Comm_rank(all, &rank) != MPI_SUCCESS ||
                                   syn_pmpi.Comm_split(all, rank, 0, &made) != MPI_SUCCESS))
        return;
    learn_complete(alone == MPI_COMM_NULL ? made : alone);
    if (made != MPI_COMM_NULL)
        syn_pmpi.Comm_free(&made);
}
#else
bool syn_pmpi_handles_agree(void)
{
#ifdef OPEN_MPI
    return syn_pmpi.Comm_f2c(0) == syn_mpi.comm_world;
#else
    return true;
#endif
}

void syn_pmpi_learn(MPI_Comm all, MPI_Comm alone)
{
    (void)all;
    (void)alone;
}
#endif

int syn_pmpi_load(const struct syn_host *host, const char **missing)
{
    int status = load_objects(host, missing);
    status = status != SYN_OK ? status : load_next(host, missing);
#define SYN_LOAD(Name) \
    status = status != SYN_OK ? status : load(host, &syn_pmpi.Name, "PMPI_" #Name, missing);
    SYN_PMPI_USED(SYN_LOAD)
    SYN_PMPI_OF_ABI(SYN_LOAD)
#undef SYN_LOAD
#define SYN_LOAD(Name)                                                             \
    __atomic_store_n((void **)(void *)&syn_pmpi.Name, host->symbol("PMPI_" #Name), \
                     __ATOMIC_RELAXED);
    SYN_PMPI_OPTIONAL(SYN_LOAD)
#undef SYN_LOAD
    return status;
}
