/* tests/mpi/loading.c - a program that opens libraries in the ways that there are, and asks what it
 * has. It does what its arguments say, in their order, and prints what came of it:
 *   names FILE      of each name in FILE, whether dlsym finds it in the global scope
 *   local LIBRARY   dlopen with RTLD_LOCAL, global, deep (RTLD_DEEPBIND), lazy; then the library's
 *                   entries (loading_library.c) are called, and its work(5)
 *   open LIBRARY    dlopen with RTLD_LOCAL; nothing of it is called
 *   close           the last one is closed
 *   take NAME       the address of a function is asked for; call: it is called with 0
 *   init, barrier, finalize    with LINKED, where the program is linked with MPI
 * HOLDS: the program holds functions that the recorder's own libraries have, of another version.
 * TOOL: a tool is linked in that stands in front of MPI_Init; OWN_PMPI: it stands for functions of
 * PMPI. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef LINKED
#include <mpi.h>
#endif

static int print_first;

static void names(const char *file)
{
    char name[256];
    FILE *in = fopen(file, "r");
    while (in && fscanf(in, "%255s", name) == 1) {
        void *found = dlsym(RTLD_DEFAULT, name);
        Dl_info info = {.dli_fname = ""};
        if (found && !dladdr(found, &info))
            info.dli_fname = "nowhere";
        const char *ours =
            getenv("SHOW_OURS") && strstr(info.dli_fname, "libsyncopate") ? " ours" : "";
        if (print_first)
            printf("%s %s%s\n", name, found ? "yes" : "no", ours);
    }
    if (in)
        fclose(in);
}

static void *use(const char *library, int flags)
{
    void *handle = dlopen(library, flags);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    int (*const *entries)(int) = (int (*const *)(int))dlsym(handle, "entries");
    int (*work)(int) = (int (*)(int))dlsym(handle, "work");
    const int sum = entries ? entries[0](21) + entries[1](21) : 0, result = work ? work(5) : 0;
    if (print_first)
        printf("%s: %d %d\n", strrchr(library, '/'), sum, result);
    return handle;
}

#ifdef TOOL
int MPI_Init(int *argc, char ***argv)
{
    return PMPI_Init(argc, argv);
}
#endif

#ifdef HOLDS
static void held(void)
{
    abort();
}
#define HELD(name) void name(void) __attribute__((alias("held")))
HELD(ZSTD_createCCtx);
HELD(ZSTD_createCCtx_advanced);
HELD(ZSTD_freeCCtx);
HELD(ZSTD_CCtx_reset);
HELD(ZSTD_CCtx_setParameter);
HELD(ZSTD_compressStream2);
HELD(ZSTD_compressBound);
HELD(unw_backtrace);
#endif

#ifdef OWN_PMPI
int PMPI_Init(int *argc, char ***argv)
{
    return PMPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &print_first);
}

int PMPI_Initialized(int *flag)
{
    return MPI_Initialized(flag);
}
#endif

static int call_taken(const char *name)
{
    static int (*taken)(int);
    if (name)
        taken = (int (*)(int))dlsym(RTLD_DEFAULT, name);
    return name || !taken ? -1 : taken(0);
}

#ifdef LINKED
static int mpi(const char *what)
{
    if (strcmp(what, "init") == 0) {
        MPI_Init(NULL, NULL);
        MPI_Comm_rank(MPI_COMM_WORLD, &print_first);
        print_first = print_first == 0;
    } else if (strcmp(what, "barrier") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(what, "finalize") == 0) {
        MPI_Finalize();
    } else {
        return 0;
    }
    return 1;
}
#else
#define mpi(what) 0
#endif

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int flags;
    } ways[] = {{"local", RTLD_NOW | RTLD_LOCAL},
                {"global", RTLD_NOW | RTLD_GLOBAL},
                {"deep", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND},
                {"lazy", RTLD_LAZY | RTLD_LOCAL}};
    const char *rank =
        getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    void *last = NULL;
    print_first = !rank || strcmp(rank, "0") == 0;
    for (int i = 1; i < argc; i++) {
        if (mpi(argv[i]))
            continue;
        if (strcmp(argv[i], "names") == 0)
            names(argv[++i]);
        else if (strcmp(argv[i], "close") == 0)
            dlclose(last);
        else if (strcmp(argv[i], "open") == 0)
            dlopen(argv[++i], RTLD_NOW | RTLD_LOCAL);
        else if (strcmp(argv[i], "take") == 0)
            call_taken(argv[++i]);
        else if (strcmp(argv[i], "call") == 0)
            printf("called: %d\n", call_taken(NULL));
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
            if (strcmp(argv[i], ways[way].name) == 0)
                last = use(argv[++i], ways[way].flags);
    }
    return 0;
}
