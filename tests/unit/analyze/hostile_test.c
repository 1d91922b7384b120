/* A trace is data from elsewhere: damage, names and things in the place of files, through the
 * commands as a user calls them. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hostile_trace.h"

TestSuite(hostile, .fini = hostile_remove, .timeout = 400); /* seconds, on a busy machine */

/* ---- a file's bytes ---- */

struct bytes {
    size_t count;
    char data[1 << 16];
};

static void load(const char *path, struct bytes *bytes)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    bytes->count = fread(bytes->data, 1, sizeof bytes->data, file);
    fclose(file);
    cr_assert_lt(bytes->count, sizeof bytes->data);
}

static void save(const char *path, const char *data, size_t count)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(data, 1, count, file), count);
    cr_assert_eq(fclose(file), 0);
}

/* Every fault is said by the others too, and they do their work nevertheless. Which one is called
 * changes from byte to byte. */
static void others_bear_it(const char *trace, size_t turn)
{
    static const struct {
        const char *words;
        enum fuzz_format format;
    } others[] = {
        {"report @", FUZZ_TEXT}, {"info @", FUZZ_TEXT}, {"export --format csv @", FUZZ_CSV}};
    const struct fuzz_printed *printed =
        hostile_run(others[turn % 3].words, others[turn % 3].format, trace);
    cr_assert_eq(printed->status, 0, "turn %zu: %s", turn, printed->err);
    cr_assert_gt(printed->err_bytes, 0, "turn %zu: not a word", turn);
    cr_assert_gt(printed->out_bytes, 0, "turn %zu: nothing", turn);
}

static void check_says_damaged(const char *trace, const char *file, size_t at)
{
    const struct fuzz_printed *printed = hostile_run("check @", FUZZ_TEXT, trace);
    cr_assert_eq(printed->status, 1, "byte %zu of %s: %s%s", at, file, printed->out, printed->err);
    cr_assert_not_null(strstr(printed->out, file), "byte %zu of %s: %s", at, file, printed->out);
    cr_assert_eq(printed->err_bytes, 0);
}

static void recovers(const char *trace, const char *path, const struct bytes *whole, size_t at)
{
    const struct fuzz_printed *printed = hostile_run("recover @", FUZZ_TEXT, trace);
    cr_assert_eq(printed->status, 0, "byte %zu: %s", at, printed->err);
    printed = hostile_run("check @", FUZZ_TEXT, trace);
    cr_assert_eq(printed->status, 0, "byte %zu, recovered: %s", at, printed->out);
    save(path, whole->data, whole->count);
}

/* Bytes from one that is flipped, or cut at, to the next. (What a sanitizer could see in the
 * others, the fuzzers show it.) */
#ifdef __SANITIZE_ADDRESS__
#define STEP 3
#else
#define STEP 1
#endif

Test(hostile, every_byte_of_a_rank_flipped)
{
    static struct bytes whole, changed, manifest;
    char trace[256], path[400], manifest_path[400];
    snprintf(trace, sizeof trace, "%s", hostile_make("t", "x"));
    snprintf(path, sizeof path, "%s/rank-000001.syn", trace);
    snprintf(manifest_path, sizeof manifest_path, "%s/manifest", trace);
    load(path, &whole);
    load(manifest_path, &manifest);
    cr_assert_eq(hostile_run("check @", FUZZ_TEXT, trace)->status, 0);
    for (size_t at = 0; at < whole.count; at += STEP) {
        changed = whole;
        changed.data[at] = (char)(changed.data[at] ^ (1 << at % 8));
        save(path, changed.data, changed.count);
        check_says_damaged(trace, "rank-000001.syn", at);
        others_bear_it(trace, at);
        if (at % 2 == 0) {
            recovers(trace, path, &whole, at);
            save(manifest_path, manifest.data, manifest.count);
        }
    }
    save(path, whole.data, whole.count);
    cr_assert_eq(hostile_run("check @", FUZZ_TEXT, trace)->status, 0);
}

Test(hostile, a_rank_cut_anywhere)
{
    static struct bytes whole, manifest;
    char trace[256], path[400], manifest_path[400];
    enum { HEADER_BYTES = 120 };
    snprintf(trace, sizeof trace, "%s", hostile_make("t", "x"));
    snprintf(path, sizeof path, "%s/rank-000001.syn", trace);
    snprintf(manifest_path, sizeof manifest_path, "%s/manifest", trace);
    load(path, &whole);
    load(manifest_path, &manifest);
    for (size_t bytes = 0; bytes < whole.count; bytes += STEP) {
        save(path, whole.data, bytes);
        check_says_damaged(trace, "rank-000001.syn", bytes);
        others_bear_it(trace, bytes);
        if (bytes % 2 == 0 && bytes >= HEADER_BYTES) {
            recovers(trace, path, &whole, bytes);
            save(manifest_path, manifest.data, manifest.count);
        }
    }
}

/* Texts beside the ranks' files: `cuts_too` where half of it is as bad as a flipped bit. */
static void every_byte_of(const char *name)
{
    static struct bytes whole, changed;
    char trace[256], path[400];
    snprintf(trace, sizeof trace, "%s", hostile_make("t", "x"));
    snprintf(path, sizeof path, "%s/%s", trace, name);
    load(path, &whole);
    for (size_t at = 0; at < whole.count; at++) {
        changed = whole;
        changed.data[at] = (char)(changed.data[at] ^ (1 << at % 8));
        save(path, changed.data, changed.count);
        check_says_damaged(trace, name, at);
        others_bear_it(trace, at % 2 ? 0 : 2);
        save(path, whole.data, at);
        check_says_damaged(trace, name, at);
    }
}

Test(hostile, every_byte_of_the_manifest_flipped_and_cut)
{
    every_byte_of("manifest");
}

Test(hostile, every_byte_of_the_labels_flipped_and_cut)
{
    every_byte_of("symbols");
}

/* ---- names ---- */

static const char *const hostile_names[] = {
    "\x1b[31mred\x1b]0;title\x07",
    "<script>alert('1')</script><img src=x onerror=\"y\">",
    "\"}, {\"op\": \"x\", \\u0000 \\",
    "=HYPERLINK(\"http://example.org\",\"x\")",
    "@SUM(1,2)",
    "-2+3+cmd|' /C calc'!A0",
    "+1,\"two\"",
    "one\ntwo\r\nthree\tfour",
    "\xff\xfe\xc0\x80\xed\xa0\x80",
    "\302\23331m \xe2\x80\xae evil \xe2\x80\xa8 line \xe2\x81\xa6",
    "../../../../etc/passwd",
    "/etc/passwd",
    "%s%n%99999999d",
    " ",
    "",
    "&lt;&#60;",
    "\x7f\x01\x02\x03",
};

static const struct {
    const char *words;
    enum fuzz_format format;
} every_output[] = {
    {"report @", FUZZ_TEXT},
    {"report --top 0 --by op,comm,site,node @", FUZZ_TEXT},
    {"report --format json @", FUZZ_JSON},
    {"report --format csv @", FUZZ_CSV},
    {"report --format csv --by node @", FUZZ_CSV},
    {"report --format html @", FUZZ_HTML},
    {"info @", FUZZ_TEXT},
    {"info --format json @", FUZZ_JSON},
    {"check @", FUZZ_TEXT},
    {"export --format csv @", FUZZ_CSV},
    {"export --format perfetto @", FUZZ_JSON},
    {"diff @ -- @", FUZZ_TEXT},
    {"diff --format json @ -- @", FUZZ_JSON},
    {"diff --format csv @ -- @", FUZZ_CSV},
    {"diff --format html @ -- @", FUZZ_HTML},
};

static void print_everything(const char *trace)
{
    for (size_t i = 0; i < sizeof every_output / sizeof *every_output; i++) {
        const struct fuzz_printed *printed =
            hostile_run(every_output[i].words, every_output[i].format, trace);
        cr_assert_eq(printed->status, 0, "%s: %s", every_output[i].words, printed->err);
        cr_assert_eq(printed->err_bytes, 0, "%s: %s", every_output[i].words, printed->err);
    }
}

Test(hostile, names_are_harmless_in_every_output)
{
    char name[64];
    for (size_t i = 0; i < sizeof hostile_names / sizeof *hostile_names; i++) {
        snprintf(name, sizeof name, "t%zu", i);
        char trace[256];
        snprintf(trace, sizeof trace, "%s", hostile_make(name, hostile_names[i]));
        print_everything(trace);
    }
}

/* The directory's own name is printed too. */
Test(hostile, a_directory_with_a_hostile_name)
{
    char trace[256];
    snprintf(trace, sizeof trace, "%s", hostile_make("=<b>\x1b[31m,\"\n\xff", "x"));
    print_everything(trace);
    unlink(hostile_path("=<b>\x1b[31m,\"\n\xff/rank-000001.syn"));
    for (size_t i = 0; i < sizeof every_output / sizeof *every_output; i++)
        hostile_run(every_output[i].words, every_output[i].format, trace);
}

/* A long text out of a few bytes of file is not printed in every row. */
Test(hostile, a_name_of_many_kilobytes)
{
    enum { NAME_BYTES = 1 << 17 };
    char trace[256], *name = malloc(NAME_BYTES + 1);
    memset(name, 'n', NAME_BYTES);
    name[NAME_BYTES] = 0;
    snprintf(trace, sizeof trace, "%s", hostile_make("t", name));
    free(name);
    for (size_t i = 0; i < sizeof every_output / sizeof *every_output; i++) {
        const struct fuzz_printed *printed =
            hostile_run(every_output[i].words, every_output[i].format, trace);
        cr_assert_eq(printed->status, 0, "%s: %s", every_output[i].words, printed->err);
        bool rows_only = strncmp(every_output[i].words, "export", 6) == 0; /* no factors */
        cr_assert_lt(printed->out_bytes, (rows_only ? 1 : 64) * NAME_BYTES, "%s",
                     every_output[i].words);
    }
}

/* ---- things in the place of files ---- */

/* Makes a thing at `path` that may lie where a file should. */
static void make_pipe(const char *path)
{
    cr_assert_eq(mkfifo(path, 0600), 0);
}

static void make_directory(const char *path)
{
    cr_assert_eq(mkdir(path, 0700), 0);
}

static void link_to_zeros(const char *path)
{
    cr_assert_eq(symlink("/dev/zero", path), 0);
}

static void link_to_itself(const char *path)
{
    cr_assert_eq(symlink(path, path), 0);
}

static void link_to_nothing(const char *path)
{
    cr_assert_eq(symlink("/nonexistent/x", path), 0);
}

static void link_outside(const char *path)
{
    cr_assert_eq(symlink(hostile_path("victim"), path), 0);
}

static void make_huge(const char *path)
{
    save(path, "SYNC", 4);
    cr_assert_eq(truncate(path, (off_t)1 << 40), 0);
}

static void (*const things[])(const char *path) = {make_pipe,      make_directory,  link_to_zeros,
                                                   link_to_itself, link_to_nothing, link_outside,
                                                   make_huge};

static const char *const places[] = {"rank-000000.syn", "rank-000001.syn.part", "manifest",
                                     "symbols",         "recovered.part",       "manifest.part"};

static void with_thing(size_t thing, const char *place)
{
    static struct bytes victim, after;
    char trace[256], path[400], name[64];
    snprintf(name, sizeof name, "t%zu%zu", thing, strlen(place));
    snprintf(trace, sizeof trace, "%s", hostile_make(name, "x"));
    snprintf(path, sizeof path, "%s/rank-000001.syn", trace);
    load(path, &victim);
    save(hostile_path("victim"), victim.data, victim.count - 100);
    cr_assert_eq(truncate(path, (off_t)victim.count - 50),
                 0); /* so that there is something to recover */
    snprintf(path, sizeof path, "%s/%s", trace, place);
    unlink(path);
    things[thing](path);
    for (size_t i = 0; i < sizeof every_output / sizeof *every_output; i++) {
        const struct fuzz_printed *printed =
            hostile_run(every_output[i].words, every_output[i].format, trace);
        cr_assert_leq(printed->status, 1, "%s with %s: %s", every_output[i].words, place,
                      printed->err);
        cr_assert_gt(printed->err_bytes + (printed->status == 1), 0, "%s with %s",
                     every_output[i].words, place);
    }
    const struct fuzz_printed *printed = hostile_run("recover @", FUZZ_TEXT, trace);
    cr_assert(printed->status == 0 || printed->err_bytes > 0, "thing %zu in %s", thing, place);
    load(hostile_path("victim"), &after);
    cr_assert_eq(after.count, victim.count - 100, "thing %zu in %s: what it links to was written",
                 thing, place);
    cr_assert_arr_eq(after.data, victim.data, after.count);
}

Test(hostile, things_in_the_place_of_files)
{
    for (size_t thing = 0; thing < sizeof things / sizeof *things; thing++)
        for (size_t place = 0; place < sizeof places / sizeof *places; place++)
            with_thing(thing, places[place]);
}

/* Runs of an experiment may be links, or anything else. */
Test(hostile, things_in_the_place_of_runs)
{
    static struct bytes before, after;
    char experiment[256], mine[256], path[400];
    snprintf(mine, sizeof mine, "%s", hostile_make("mine", "x"));
    snprintf(path, sizeof path, "%s/rank-000001.syn", mine);
    load(path, &before);
    save(path, before.data, before.count - 30);
    snprintf(experiment, sizeof experiment, "%s", hostile_path("e"));
    cr_assert_eq(mkdir(experiment, 0700), 0);
    snprintf(path, sizeof path, "%s/run-0001", experiment);
    cr_assert_eq(rename(hostile_make("first", "x"), path), 0);
    snprintf(path, sizeof path, "%s/run-0002", experiment);
    cr_assert_eq(symlink(mine, path), 0);
    snprintf(path, sizeof path, "%s/run-0003", experiment);
    make_pipe(path);
    for (size_t i = 0; i < sizeof every_output / sizeof *every_output; i++) {
        const struct fuzz_printed *printed =
            hostile_run(every_output[i].words, every_output[i].format, experiment);
        cr_assert_not_null(strstr(printed->err, "run-0002: is a symbolic link"), "%s: %s",
                           every_output[i].words, printed->err);
    }
    hostile_run("recover @", FUZZ_TEXT, experiment);
    snprintf(path, sizeof path, "%s/rank-000001.syn", mine);
    load(path, &after);
    cr_assert_eq(after.count, before.count - 30, "recover wrote where a link led");
}

/* A module's path is not even touched without a build id to compare: opening may act. */
Test(hostile, no_path_is_followed_without_a_build_id)
{
    char trace[256];
    struct stat state;
    struct timespec before;
    save(hostile_path("object"),
         "\x7f"
         "ELF",
         4);
    cr_assert_eq(stat(hostile_path("object"), &state), 0);
    before = state.st_atim;
    snprintf(trace, sizeof trace, "%s", hostile_make("t", hostile_path("object")));
    unlink(hostile_path("t/symbols"));
    print_everything(trace);
    cr_assert_eq(stat(hostile_path("object"), &state), 0);
    cr_assert_eq(memcmp(&before, &state.st_atim, sizeof before), 0);
}

/* ---- what the system refuses ---- */

Test(hostile, files_that_may_not_be_read)
{
    char trace[256], path[400];
    umask(022); /* all others may */
    snprintf(trace, sizeof trace, "%s", hostile_make("t", "x"));
    snprintf(path, sizeof path, "%s/rank-000001.syn", trace);
    cr_assert_eq(chmod(hostile_path(""), 0755) | chmod(trace, 0755) | chmod(path, 0), 0);
    if (geteuid() == 0) /* who may read everything */
        cr_assert_eq(setegid(65534) | seteuid(65534), 0);
    for (size_t i = 0; i < sizeof every_output / sizeof *every_output; i++) {
        bool check = strncmp(every_output[i].words, "check", 5) == 0;
        const struct fuzz_printed *printed =
            hostile_run(every_output[i].words, every_output[i].format, trace);
        cr_assert_eq(printed->status, check ? 1 : 0, "%s", every_output[i].words);
        cr_assert_not_null(strstr(check ? printed->out : printed->err, "Permission denied"), "%s",
                           every_output[i].words);
    }
    if (getuid() == 0)
        cr_assert_eq(seteuid(0) | setegid(0), 0);
    cr_assert_eq(chmod(trace, 0), 0);
    if (geteuid() == 0)
        cr_assert_eq(setegid(65534) | seteuid(65534), 0);
    for (size_t i = 0; i < sizeof every_output / sizeof *every_output; i++) {
        const struct fuzz_printed *printed = hostile_run(every_output[i].words, FUZZ_TEXT, trace);
        cr_assert_eq(printed->status, 2, "%s", every_output[i].words);
        cr_assert_eq(printed->out_bytes, 0, "%s: %s", every_output[i].words, printed->out);
        cr_assert_not_null(strstr(printed->err, "Permission denied"), "%s", printed->err);
    }
    if (getuid() == 0)
        cr_assert_eq(seteuid(0) | setegid(0), 0);
    cr_assert_eq(chmod(trace, 0700), 0);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Writing fails in the middle, as on a full disk: what was there is there, and nothing else. */
Test(hostile, an_output_that_does_not_fit)
{
    static struct bytes before, after;
    char trace[256], path[400], words[500];
    signal(SIGXFSZ, SIG_IGN);
    snprintf(trace, sizeof trace, "%s", hostile_make("t", "x"));
    snprintf(path, sizeof path, "%s", hostile_path("out.json"));
    save(path, "old", 3);
    snprintf(words, sizeof words, "report --format json -o %s @", path);
    limit_files(1000);
    const struct fuzz_printed *printed = hostile_run(words, FUZZ_TEXT, trace);
    limit_files(RLIM_INFINITY);
    cr_assert_eq(printed->status, 2);
    cr_assert_not_null(strstr(printed->err, "out.json: File too large"), "%s", printed->err);
    load(path, &after);
    cr_assert_arr_eq(after.data, "old", 3);

    snprintf(path, sizeof path, "%s/rank-000001.syn", trace);
    load(path, &before);
    before.count -= 40;
    save(path, before.data, before.count);
    limit_files(1000);
    printed = hostile_run("recover @", FUZZ_TEXT, trace);
    limit_files(RLIM_INFINITY);
    cr_assert_eq(printed->status, 2);
    cr_assert_not_null(strstr(printed->err, "File too large"), "%s", printed->err);
    load(path, &after);
    cr_assert_eq(after.count, before.count);
    cr_assert_arr_eq(after.data, before.data, before.count);
    cr_assert_neq(access(hostile_path("t/recovered.part"), F_OK), 0);
}
