/* tests/mpi/windows_files.c - windows and files: what makes one is a collective of its
 * communicator, what uses and frees it one of its own. Any number of ranks. */
#include "expect.h"

static struct known world;

static void windows(void)
{
    static int memory[16];
    int *base;
    MPI_Win window;
    MPI_Info no_hints;
    MPI_Info_create(&no_hints);
    EXPECT("Win_create", &world, 0, -1, 0);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    struct known known = know(MPI_COMM_WORLD, "window 1 of MPI_COMM_WORLD");
    EXPECT("Win_fence", &known, 0, -1, 0);
    MPI_Win_fence(0, window);
    MPI_Put(&world_rank, 1, MPI_INT, (world_rank + 1) % world_size, 0, 1, MPI_INT, window);
    EXPECT("Win_fence", &known, 0, -1, 0);
    MPI_Win_fence(0, window);
    EXPECT("Win_set_info", &known, 0, -1, 0);
    MPI_Win_set_info(window, no_hints);
    MPI_Info_free(&no_hints);
    EXPECT("Win_free", &known, 0, -1, 0);
    MPI_Win_free(&window);
    EXPECT("Win_allocate", &world, 0, -1, 0);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    known = know(MPI_COMM_WORLD, "window 2 of MPI_COMM_WORLD");
    EXPECT("Win_fence", &known, 0, -1, 0);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    EXPECT("Win_free", &known, 0, -1, 0);
    MPI_Win_free(&window);
    EXPECT("Win_allocate_shared", &world, 0, -1, 0);
    MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    known = know(MPI_COMM_WORLD, "window 3 of MPI_COMM_WORLD");
    EXPECT("Win_free", &known, 0, -1, 0);
    MPI_Win_free(&window);
    EXPECT("Win_create_dynamic", &world, 0, -1, 0);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    known = know(MPI_COMM_WORLD, "window 4 of MPI_COMM_WORLD");
    EXPECT("Win_free", &known, 0, -1, 0);
    MPI_Win_free(&window);
}

static void put_path(char *path, size_t bytes)
{
    const char *given = getenv("SYNCOPATE_TEST_FILE");
    snprintf(path, bytes, "%s", given ? given : "/tmp/syncopate-test-file");
}

static void blocking(MPI_File file, struct known *known)
{
    int four[4] = {1, 2, 3, 4};
    const MPI_Offset at = (MPI_Offset)world_rank * 4;
    MPI_Info no_hints;
    MPI_Info_create(&no_hints);
    EXPECT("File_set_view", known, 0, -1, 0);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    EXPECT("File_set_info", known, 0, -1, 0);
    MPI_File_set_info(file, no_hints);
    MPI_Info_free(&no_hints);
    EXPECT("File_set_size", known, 0, -1, 0);
    MPI_File_set_size(file, 1024);
    EXPECT("File_preallocate", known, 0, -1, 0);
    MPI_File_preallocate(file, 2048);
    EXPECT("File_set_atomicity", known, 0, -1, 0);
    MPI_File_set_atomicity(file, 0);
    EXPECT("File_write_at_all", known, 16, -1, 0);
    MPI_File_write_at_all(file, at, four, 4, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT("File_sync", known, 0, -1, 0);
    MPI_File_sync(file);
    EXPECT("File_read_at_all", known, 16, -1, 0);
    MPI_File_read_at_all(file, at, four, 4, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT("File_write_all", known, 8, -1, 0);
    MPI_File_write_all(file, four, 2, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT("File_read_all", known, 0, -1, 0);
    MPI_File_read_all(file, four, 0, MPI_INT, MPI_STATUS_IGNORE);
}

/* The number is that of the first call; the second completes it. */
static void in_two_calls(MPI_File file, struct known *known)
{
    int four[4] = {1, 2, 3, 4};
    const MPI_Offset at = (MPI_Offset)world_rank * 4;
    MPI_Request request;
    EXPECT("File_write_at_all_begin", known, 16, -1, 0);
    MPI_File_write_at_all_begin(file, at, four, 4, MPI_INT);
    MPI_File_write_at_all_end(file, four, MPI_STATUS_IGNORE);
    EXPECT("File_read_at_all_begin", known, 16, -1, 0);
    MPI_File_read_at_all_begin(file, at, four, 4, MPI_INT);
    MPI_File_read_at_all_end(file, four, MPI_STATUS_IGNORE);
    EXPECT("File_write_all_begin", known, 4, -1, 0);
    MPI_File_write_all_begin(file, four, 1, MPI_INT);
    MPI_File_write_all_end(file, four, MPI_STATUS_IGNORE);
    EXPECT("File_read_all_begin", known, 4, -1, 0);
    MPI_File_read_all_begin(file, four, 1, MPI_INT);
    MPI_File_read_all_end(file, four, MPI_STATUS_IGNORE);
    EXPECT("File_iwrite_at_all", known, 16, -1, 0);
    MPI_File_iwrite_at_all(file, at, four, 4, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT("File_iread_at_all", known, 16, -1, 0);
    MPI_File_iread_at_all(file, at, four, 4, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT("File_iwrite_all", known, 4, -1, 0);
    MPI_File_iwrite_all(file, four, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT("File_iread_all", known, 4, -1, 0);
    MPI_File_iread_all(file, four, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Access by the shared file pointer: each rank has its own size. */
static void in_order(MPI_File file, struct known *known)
{
    int many[64] = {0};
    EXPECT("File_seek_shared", known, 0, -1, 0);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    EXPECT("File_write_ordered", known, 4 * (world_rank + 1), -1, 0);
    MPI_File_write_ordered(file, many, world_rank + 1, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT("File_seek_shared", known, 0, -1, 0);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    EXPECT("File_read_ordered", known, 4, -1, 0);
    MPI_File_read_ordered(file, many, 1, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT("File_write_ordered_begin", known, 4, -1, 0);
    MPI_File_write_ordered_begin(file, many, 1, MPI_INT);
    MPI_File_write_ordered_end(file, many, MPI_STATUS_IGNORE);
    EXPECT("File_read_ordered_begin", known, 4, -1, 0);
    MPI_File_read_ordered_begin(file, many, 1, MPI_INT);
    MPI_File_read_ordered_end(file, many, MPI_STATUS_IGNORE);
}

static void files(void)
{
    char path[4096], name[128];
    MPI_File file, missing;
    put_path(path, sizeof path);
    EXPECT("File_open", &world, 0, -1, 0);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    snprintf(name, sizeof name, "file 1 %.19s of MPI_COMM_WORLD", strrchr(path, '/') + 1);
    struct known known = know(MPI_COMM_WORLD, name);
    blocking(file, &known);
    in_two_calls(file, &known);
    in_order(file, &known);
    EXPECT("File_close", &known, 0, -1, 0);
    MPI_File_close(&file);
    /* All ranks learn that it is not there: a collective that failed. */
    EXPECT("File_open", &world, 0, -1, FAILED);
    MPI_File_open(MPI_COMM_WORLD, "/nowhere/nothing", MPI_MODE_RDONLY, MPI_INFO_NULL, &missing);
    EXPECT("File_open", &world, 0, -1, 0);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    known = know(MPI_COMM_WORLD, name);
    memcpy(strchr(known.label, '1'), "3", 1); /* the one that failed counts as well */
    EXPECT("File_close", &known, 0, -1, 0);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    windows();
    files();
    EXPECT("Barrier", &world, 0, -1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    end();
    return 0;
}
