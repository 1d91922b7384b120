/* preload/facts/factors.c - see factors.h. Reads small files of /proc and /sys; each may be missing
 * or contain anything. Most are read by plain system calls into buffers on the stack, because this
 * code runs inside the user's program. */
#include "preload/facts/factors.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "preload/base/environment.h"
#include "preload/facts/cpu_model.h"
#include "preload/facts/modules.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

extern char **environ;

/* Reads the first capacity - 1 bytes of a file. Returns their number, 0 if the file is missing or
 * empty. */
static size_t read_bytes(const char *path, char *buffer, size_t capacity)
{
    size_t filled = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    buffer[0] = '\0';
    if (fd < 0)
        return 0;
    while (filled < capacity - 1) {
        ssize_t got = read(fd, buffer + filled, capacity - 1 - filled);
        if (got <= 0)
            break;
        filled += (size_t)got;
    }
    close(fd);
    buffer[filled] = '\0';
    return filled;
}

/* Reads the first line of a file. Returns false if it is missing or empty. */
static bool read_line(const char *path, char *buffer, size_t capacity)
{
    read_bytes(path, buffer, capacity);
    buffer[strcspn(buffer, "\n")] = '\0';
    return buffer[0] != '\0';
}

/* ---- host ---- */

/* Keys whose value is the first line of a file. */
static const struct {
    const char *key;
    const char *path;
} line_factors[] = {
    {"host.boot_id", "/proc/sys/kernel/random/boot_id"},
    {"host.clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"host.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
    {"host.frequency_driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"},
    {"host.isolated_cpus", "/sys/devices/system/cpu/isolated"},
    {"host.numa_balancing", "/proc/sys/kernel/numa_balancing"},
    {"host.aslr", "/proc/sys/kernel/randomize_va_space"},
    {"host.load_average", "/proc/loadavg"},
};

static void put_system(struct syn_fact_sink *sink)
{
    char text[2048], name[256];
    struct utsname names;
    if (uname(&names) == 0) {
        syn_put_fact(sink, "host.name", names.nodename);
        syn_put_fact_format(sink, "host.kernel", "%s %s %s %s", names.sysname, names.release,
                            names.version, names.machine);
    }
    if (read_bytes("/etc/os-release", text, sizeof text) > 0 &&
        syn_find_field(text, "PRETTY_NAME", '=', name, sizeof name)) {
        char *value = name + strspn(name, "\"");
        value[strcspn(value, "\"")] = '\0';
        syn_put_fact(sink, "host.os", value);
    }
    syn_put_fact_format(sink, "host.cpu_count", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    syn_put_fact_format(sink, "host.memory_bytes", "%lld",
                        (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
}

/* Returns true if a list separated by blanks contains this word. */
static bool has_word(const char *list, const char *word)
{
    size_t word_bytes = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += word_bytes)
        if ((at == list || at[-1] == ' ') && (at[word_bytes] == ' ' || at[word_bytes] == '\0'))
            return true;
    return false;
}

/* Reads the part of the first processor only: the file has a part for each processor, and the
 * kernel needs time to make each. */
static void put_cpu(struct syn_fact_sink *sink)
{
    char text[4096], value[3072];
    if (read_bytes("/proc/cpuinfo", text, sizeof text) == 0)
        return;
    if (syn_cpu_model(text, value, sizeof value))
        syn_put_fact(sink, "host.cpu_model", value);
    if (syn_find_field(text, "microcode", ':', value, sizeof value))
        syn_put_fact(sink, "host.microcode", value);
    if (syn_find_field(text, "flags", ':', value, sizeof value)) {
        static const char *const clock_flags[] = {"constant_tsc", "nonstop_tsc", "tsc_reliable",
                                                  "tsc_known_freq", "rdtscp"};
        char found[128] = "";
        for (size_t i = 0; i < COUNT_OF(clock_flags); i++)
            if (has_word(value, clock_flags[i]))
                snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s",
                         found[0] != '\0' ? " " : "", clock_flags[i]);
        syn_put_fact(sink, "host.cpu_flags_tsc", found[0] != '\0' ? found : "none");
        syn_put_fact(sink, "host.hypervisor", has_word(value, "hypervisor") ? "yes" : "no");
    }
}

static void put_frequency(struct syn_fact_sink *sink)
{
    char low[32], high[32], line[32];
    if (read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", low, sizeof low) &&
        read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", high, sizeof high))
        syn_put_fact_format(sink, "host.frequency_khz", "%s-%s", low, high);
    if (read_line("/sys/devices/system/cpu/intel_pstate/no_turbo", line, sizeof line))
        syn_put_fact(sink, "host.turbo", line[0] == '0' ? "on" : "off");
    else if (read_line("/sys/devices/system/cpu/cpufreq/boost", line, sizeof line))
        syn_put_fact(sink, "host.turbo", line[0] == '1' ? "on" : "off");
    if (read_line("/sys/devices/system/cpu/smt/active", line, sizeof line))
        syn_put_fact(sink, "host.smt", line[0] == '1' ? "on" : "off");
    char thp[128];
    if (read_line("/sys/kernel/mm/transparent_hugepage/enabled", thp, sizeof thp)) {
        /* The word in brackets of a line such as "always [madvise] never". */
        char *bracket = strchr(thp, '['), *end = bracket ? strchr(bracket, ']') : NULL;
        if (end)
            *end = '\0';
        syn_put_fact(sink, "host.thp", end ? bracket + 1 : thp);
    }
}

/* Writes " VALUE UNIT" from a file of the device, for example " 10000 Mbit/s". Writes "" if there
 * is no such file, or if the value is negative (an interface without a link). */
static void describe_device(const char *device, const char *file, const char *unit, char *out,
                            size_t capacity)
{
    char path[640], line[64];
    out[0] = '\0';
    snprintf(path, sizeof path, "%s/%s", device, file ? file : "");
    if (file && read_line(path, line, sizeof line) && line[0] != '-')
        snprintf(out, capacity, " %s%s", line, unit);
}

/* A kind of network devices. */
struct devices {
    const char *path;                           /* a directory with an entry for each device */
    const char *kind;                           /* follows the device's name in the list */
    const char *speed_file, *unit, *model_file; /* files of a device; NULL: none */
};

/* Appends "NAME KIND MODEL SPEED" of each device, except the loopback, to a list. */
static void list_devices(const struct devices *of, char *list, size_t capacity)
{
    DIR *directory = opendir(of->path);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        const size_t used = strlen(list);
        char device[512], speed[96], model[96];
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "lo") == 0)
            continue;
        snprintf(device, sizeof device, "%s/%.200s", of->path, entry->d_name);
        describe_device(device, of->speed_file, of->unit, speed, sizeof speed);
        describe_device(device, of->model_file, "", model, sizeof model);
        snprintf(list + used, capacity - used, "%s%s%s%s%s", used > 0 ? ", " : "", entry->d_name,
                 of->kind, model, speed);
    }
    closedir(directory);
}

/* Appends one cache of the first processor to a list. Returns false if there is none. */
static bool list_cache(int index, char *list, size_t capacity)
{
    char path[128], level[16], type[32], size[32];
    const char *name[] = {"level", "type", "size"};
    char *into[] = {level, type, size};
    const size_t room[] = {sizeof level, sizeof type, sizeof size}, used = strlen(list);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index,
                 name[i]);
        if (!read_line(path, into[i], room[i]))
            return false;
    }
    const char *of = strcmp(type, "Data") == 0 ? "d" : strcmp(type, "Instruction") == 0 ? "i" : "";
    snprintf(list + used, capacity - used, "%sL%s%s %s", used > 0 ? ", " : "", level, of, size);
    return true;
}

/* ---- program and process ---- */

static bool contains_word_of(const char *text, const char *const *words, size_t word_count)
{
    for (size_t i = 0; i < word_count; i++)
        if (strcasestr(text, words[i]))
            return true;
    return false;
}

/* Appends a byte if there is room for it and the final NUL. Returns the new length. */
static size_t append_byte(char *out, size_t used, size_t capacity, char byte)
{
    if (used + 1 < capacity) {
        out[used++] = byte;
        out[used] = '\0';
    }
    return used;
}

/* Appends a text quoted for a shell. Returns the new length. */
static size_t append_quoted(char *out, size_t used, size_t capacity, const char *text)
{
    bool plain = *text != '\0';
    for (const char *at = text; *at != '\0'; at++)
        plain &= isalnum((unsigned char)*at) || strchr("-_=+./:,@%^", *at);
    if (!plain)
        used = append_byte(out, used, capacity, '\'');
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '\'')
            for (const char *escape = "'\\'"; *escape != '\0'; escape++)
                used = append_byte(out, used, capacity, *escape);
        used = append_byte(out, used, capacity, *at);
    }
    if (!plain)
        used = append_byte(out, used, capacity, '\'');
    return used;
}

/* Replaces the last three bytes of a value by "...". */
static void mark_cut(char *value, size_t used)
{
    if (used >= 3)
        memcpy(value + used - 3, "...", 4);
}

/* /proc/self/cmdline contains the program's name and the arguments, each with a final NUL. The
 * value of an option that looks like a secret is left out. */
static void put_arguments(struct syn_fact_sink *sink)
{
    /* Not all words of syn_factor_env_wanted: --key-size, for example, is no secret. */
    static const char *const secrets[] = {"password", "passwd",  "passphrase", "secret",    "token",
                                          "api-key",  "api_key", "apikey",     "credential"};
    char raw[SYN_FACTOR_VALUE_BYTES], list[SYN_FACTOR_VALUE_BYTES];
    size_t bytes = read_bytes("/proc/self/cmdline", raw, sizeof raw), used = 0;
    bool hide_next = false;
    list[0] = '\0';
    for (size_t at = strlen(raw) + 1; at < bytes; at += strlen(raw + at) + 1) {
        char *argument = raw + at, *value = strchr(argument, '=');
        const bool hides =
            argument[0] == '-' && contains_word_of(argument, secrets, COUNT_OF(secrets));
        if (used > 0)
            used = append_byte(list, used, sizeof list, ' ');
        if (hides && value)
            used += (size_t)snprintf(list + used, sizeof list - used, "%.*s(left out)",
                                     (int)(value - argument) + 1, argument);
        else
            used = append_quoted(list, used, sizeof list, hide_next ? "(left out)" : argument);
        used = used < sizeof list ? used : sizeof list - 1;
        hide_next = hides && !value;
    }
    if (bytes == sizeof raw - 1 || used == sizeof list - 1)
        mark_cut(list, used);
    syn_put_fact(sink, "program.args", list);
}

static void put_limit(struct syn_fact_sink *sink, const char *key, int resource)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0)
        return;
    if (limit.rlim_cur == RLIM_INFINITY)
        syn_put_fact(sink, key, "unlimited");
    else
        syn_put_fact_format(sink, key, "%llu", (unsigned long long)limit.rlim_cur);
}

static const char *scheduler_name(int policy)
{
    static const char *const names[] = {[SCHED_OTHER] = "other",
                                        [SCHED_BATCH] = "batch",
                                        [SCHED_IDLE] = "idle",
                                        [SCHED_FIFO] = "fifo",
                                        [SCHED_RR] = "round robin"};
    const unsigned number = (unsigned)(policy & ~SCHED_RESET_ON_FORK);
    return number < COUNT_OF(names) && names[number] ? names[number] : "";
}

/* Launchers by a variable that each sets in the environment of its ranks. Specific launchers come
 * before general ones. */
static const struct launcher_mark {
    const char *variable;
    const char *name;
} launcher_marks[] = {
    {"OMPI_COMM_WORLD_RANK=", "Open MPI (orterun)"},
    {"PALS_RANKID=", "PALS"},
    {"SLURM_STEP_ID=", "Slurm (srun)"},
    {"PMIX_RANK=", "PMIx"},
    {"HYDI_CONTROL_FD=", "MPICH (Hydra)"},
    {"PMI_RANK=", "PMI"},
};

/* Returns the launcher's name, from the environment with which the process was started. The present
 * environment does not do, because MPI_Init sets such variables without a launcher, too. */
static const char *launcher_name(void)
{
    size_t best = COUNT_OF(launcher_marks);
    for (const char *entry = syn_environment_at_start(); *entry; entry += strlen(entry) + 1)
        for (size_t i = 0; i < best; i++)
            if (strncmp(entry, launcher_marks[i].variable, strlen(launcher_marks[i].variable)) == 0)
                best = i;
    return best < COUNT_OF(launcher_marks) ? launcher_marks[best].name : "none";
}

/* ---- environment ---- */

bool syn_factor_env_wanted(const char *name)
{
    static const char *const prefixes[] = {
        "OMPI_",  "MPICH_", "MPIR_",      "HYDRA_", "PMIX_MCA_",      "PRTE_MCA_",
        "OPAL_",  "UCX_",   "FI_",        "PSM2_",  "PSM3_",          "IBV_",
        "NCCL_",  "I_MPI_", "MV2_",       "MVP_",   "CRAY_",          "OMP_",
        "GOMP_",  "KMP_",   "OPENBLAS_",  "MKL_",   "BLIS_",          "MALLOC_",
        "SLURM_", "PBS_",   "SYNCOPATE_", "LD_",    "GLIBC_TUNABLES", "HWLOC_"};
    static const char *const secrets[] = {"TOKEN", "SECRET",     "PASSWORD", "PASSWD",
                                          "KEY",   "CREDENTIAL", "COOKIE",   "AUTH"};
    /* Internal variables of launchers. They differ between runs or ranks and steer nothing. The
     * program's arguments are in program.args, without secrets. */
    static const char *const internals[] = {"_URI",
                                            "SERVER",
                                            "HWLOC_XML_STRING",
                                            "_NAMESPACE",
                                            "OMPI_ARGV",
                                            "OMPI_COMMAND",
                                            "OMPI_MCA_orte",
                                            "OMPI_MCA_ess",
                                            "OMPI_FILE_LOCATION",
                                            "OMPI_COMM_WORLD",
                                            "RUNTIME_QUERY",
                                            "OMPI_FIRST_RANKS",
                                            "initial_wdir",
                                            "INTERFACE_HOSTNAME"};
    if (contains_word_of(name, secrets, COUNT_OF(secrets)) ||
        contains_word_of(name, internals, COUNT_OF(internals)))
        return false;
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static void put_environment(struct syn_fact_sink *sink)
{
    for (char **entry = environ; entry && *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        char key[128], value[SYN_FACTOR_VALUE_BYTES];
        if (!equals || equals - *entry > 100)
            continue;
        snprintf(key, sizeof key, "env.%.*s", (int)(equals - *entry), *entry);
        if (!syn_factor_env_wanted(key + 4))
            continue;
        if (snprintf(value, sizeof value, "%s", equals + 1) >= (int)sizeof value)
            mark_cut(value, sizeof value - 1);
        syn_put_fact(sink, key, value);
    }
}

void syn_factors_of_host(int (*emit)(void *ctx, const char *key, const char *value), void *ctx)
{
    struct syn_fact_sink sink = {.emit = emit, .ctx = ctx};
    put_system(&sink);
    put_cpu(&sink);
    char line[256];
    for (size_t i = 0; i < COUNT_OF(line_factors); i++)
        if (read_line(line_factors[i].path, line, sizeof line))
            syn_put_fact(&sink, line_factors[i].key, line);
    put_frequency(&sink);
    static const struct devices networks[] = {
        {"/sys/class/infiniband", " InfiniBand", "ports/1/rate", "", "hca_type"},
        {"/sys/class/net", "", "speed", " Mbit/s", NULL}};
    char network[1024] = "";
    for (size_t i = 0; i < COUNT_OF(networks); i++)
        list_devices(&networks[i], network, sizeof network);
    syn_put_fact(&sink, "host.network", network);
    char list[256] = "";
    for (int index = 0; index < 8 && list_cache(index, list, sizeof list); index++)
        ;
    if (list[0])
        syn_put_fact(&sink, "host.caches", list);
}

void syn_factors_of_process(int (*emit)(void *ctx, const char *key, const char *value), void *ctx)
{
    struct syn_fact_sink sink = {.emit = emit, .ctx = ctx};
    char path[SYN_FACTOR_VALUE_BYTES];
    uint8_t build_id[64];
    if (syn_modules_program_path(path, sizeof path) > 0)
        syn_put_fact(&sink, "program.path", path);
    put_arguments(&sink);
    if (getcwd(path, sizeof path))
        syn_put_fact(&sink, "program.directory", path);
    char hex[2 * sizeof build_id + 1] = "";
    size_t bytes = syn_modules_program_build_id(build_id, sizeof build_id);
    for (size_t i = 0; i < bytes; i++)
        snprintf(hex + 2 * i, 3, "%02x", build_id[i]);
    syn_put_fact(&sink, "program.build_id", hex);
    char line[64];
    syn_put_fact_format(&sink, "process.libc", "glibc %s", gnu_get_libc_version());
    syn_put_fact_format(&sink, "process.nice", "%d", getpriority(PRIO_PROCESS, 0));
    syn_put_fact(&sink, "process.scheduler", scheduler_name(sched_getscheduler(0)));
    if (read_line("/sys/fs/cgroup/cpu.max", line, sizeof line))
        syn_put_fact(&sink, "process.cpu_quota", line);
    put_limit(&sink, "process.locked_memory_bytes", RLIMIT_MEMLOCK);
    put_limit(&sink, "process.stack_bytes", RLIMIT_STACK);
    syn_put_fact(&sink, "launcher", launcher_name());
    snprintf(path, sizeof path, "/proc/%d/comm", (int)getppid());
    if (read_line(path, line, sizeof line))
        syn_put_fact(&sink, "launcher.parent", line);
    put_environment(&sink);
}
