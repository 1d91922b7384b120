#include "hostile_trace.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/cli/cli.h"
#include "analyze/print/command.h"
#include "sync/base/hash.h"
#include "trace/base/frame.h"
#include "trace/base/ops.h"
#include "trace/directory/manifest.h"
#include "trace/write/writer.h"

#define EVENT_COUNT 6
#define WORDS_MAX   16

static char base[64];

const char *hostile_path(const char *name)
{
    static char paths[8][256];
    static unsigned next;
    char *path = paths[next++ % 8];
    if (!base[0]) {
        strcpy(base, "/dev/shm/syn-hostile-XXXXXX");
        cr_assert_not_null(mkdtemp(base));
    }
    snprintf(path, sizeof paths[0], "%s/%s", base, name);
    return path;
}

static int remove_one(const char *path, const struct stat *state, int type, struct FTW *walk)
{
    (void)state, (void)type, (void)walk;
    return remove(path);
}

void hostile_remove(void)
{
    if (base[0])
        nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void declare(struct syn_writer *writer, int rank, const char *hostile)
{
    static const int32_t world[HOSTILE_RANKS] = {0, 1};
    static const uint8_t build_id[] = {0xab, 0xcd};
    static const struct syn_frame frames[] = {{0, 100}, {1, 200}};
    static const char *const keys[] = {
        "host.name",  "program.path", "program.args", "mpi.name",   "sync.method",
        "clock.kind", "rank.core",    "host.kernel",  "env.MPI_ID", "host.cpu_model",
    };
    char *beside;
    cr_assert_geq(asprintf(&beside, "%s.so", hostile), 0);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        syn_writer_meta(writer, keys[i], hostile);
    if (hostile[0])
        syn_writer_meta(writer, hostile, hostile);
    for (uint32_t i = 0; i < 2; i++) {
        syn_writer_comm(writer, &(struct syn_comm_record){.index = i,
                                                          .id = i + 1,
                                                          .size = HOSTILE_RANKS,
                                                          .rank = rank,
                                                          .name = hostile,
                                                          .world_ranks = world});
        syn_writer_stack(writer, &(struct syn_stack_record){i, 1, &frames[i]});
        syn_writer_module(
            writer, &(struct syn_module_record){i, i ? beside : hostile, build_id, i ? 2 : 0});
    }
    free(beside);
}

static void write_rank(const char *directory, int rank, const char *hostile)
{
    struct syn_tick_source ticks = {.kind = SYN_CLOCK_TSC, .multiplier = UINT64_C(1) << 32};
    struct syn_writer_identity identity = {
        .run_id = "hostile", .rank = rank, .size = HOSTILE_RANKS};
    struct syn_knot knot = {0, 0, 10};
    struct syn_timeline timeline = {.knots = &knot, .knot_count = 1};
    struct syn_writer *writer;
    struct syn_sink sink;
    char path[300];
    syn_rank_path(path, sizeof path, directory, rank);
    cr_assert_eq(syn_sink_file(path, &sink), 0);
    cr_assert_eq(syn_writer_open(sink, &identity, 1, &ticks, &writer), 0);
    declare(writer, rank, hostile);
    for (uint32_t i = 0; i < EVENT_COUNT; i++) {
        int64_t start = 10000 * (int64_t)i + 100 * rank, end = start + 2000;
        struct syn_event event = {
            start, end, end, start, 8, i / 2, i % 2, i % 2, -1, SYN_OP_BLOCKING(ALLREDUCE), 0};
        cr_assert_eq(syn_writer_entries(writer, 0, &event, 1, 0, &timeline), 0);
    }
    syn_writer_clock(writer, &timeline, NULL, 0, NULL);
    cr_assert_eq(syn_writer_finish(writer, &(struct syn_end_record){.ending = SYN_ENDING_FINALIZE}),
                 0);
    syn_writer_close(writer);
}

/* Labels for both modules; none where the names would end a line. */
static void write_labels(const char *directory, const char *hostile)
{
    char text[4096], path[300];
    if (strpbrk(hostile, "\n\t"))
        return;
    int length =
        snprintf(text, sizeof text, "syncopate symbols 1\nframe\tabcd\tc8\t%.1500s\n", hostile);
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "frame\tpath:%.1500s\t64\t%.500s\n", hostile, hostile);
    snprintf(path, sizeof path, "%s/symbols", directory);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "%schecksum\t%016llx\n", text,
            (unsigned long long)syn_hash64(text, (size_t)length));
    fclose(file);
}

const char *hostile_make(const char *name, const char *hostile)
{
    static char directory[256];
    struct syn_manifest manifest = {.run_id = "hostile",
                                    .size = HOSTILE_RANKS,
                                    .written_count = HOSTILE_RANKS,
                                    .event_count = HOSTILE_RANKS * EVENT_COUNT,
                                    .duration_ns = 1000000};
    snprintf(directory, sizeof directory, "%s", hostile_path(name));
    cr_assert_eq(mkdir(directory, 0700), 0);
    for (int rank = 0; rank < HOSTILE_RANKS; rank++)
        write_rank(directory, rank, hostile);
    cr_assert_eq(syn_manifest_write(directory, &manifest), 0);
    write_labels(directory, hostile);
    return directory;
}

static int (*command_of(const char *name))(int, char **)
{
    static const struct syn_cli_command *const commands[] = {
#define READS(name)             &syn_command_##name,
#define STARTS(name)            /* not linked */
#define SYN_COMMAND(name, kind) kind(name)
#include "analyze/commands.def"
#undef SYN_COMMAND
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i]->run;
    cr_assert_fail("%s", name);
    return NULL;
}

const struct fuzz_printed *hostile_run(const char *words, enum fuzz_format format,
                                       const char *trace)
{
    char copy[256], *argv[WORDS_MAX + 1] = {NULL}, *rest = NULL;
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ", &rest); word && count < WORDS_MAX;
         word = strtok_r(NULL, " ", &rest))
        argv[count++] = strcmp(word, "@") == 0 ? (char *)trace : word;
    const struct fuzz_printed *printed = fuzz_capture(command_of(argv[0]), argv);
    const char *wrong = fuzz_judge(format, printed->out, printed->out_bytes);
    cr_assert_null(wrong, "%s: %s:\n%s", words, wrong, printed->out);
    wrong = fuzz_judge(FUZZ_TEXT, printed->err, printed->err_bytes);
    cr_assert_null(wrong, "%s: standard error: %s:\n%s", words, wrong, printed->err);
    return printed;
}
