/* analyze/export/otf2_definitions.c - writes the definitions that an archive's events refer to. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/export/otf2.h"
#include "analyze/print/text.h"
#include "sync/base/vector.h"
#include "trace/base/ops.h"
#include "trace/events/message.h"

/* Writes a string, without control characters: names come from a program, and readers print them
 * unchanged. */
static OTF2_StringRef define_string(struct syn_otf2_definitions *definitions, const char *text)
{
    SYN_CLEANUP(syn_text_free) struct syn_text harmless = {0};
    const OTF2_StringRef number = definitions->string_count++;
    syn_text_harmless(&harmless, text);
    if (harmless.failed)
        SYN_OTF2_CALL(definitions, OTF2_ERROR_MEM_ALLOC_FAILED);
    SYN_OTF2_CALL(definitions, OTF2_GlobalDefWriter_WriteString(definitions->writer, number,
                                                                syn_text_chars(&harmless)));
    return number;
}

void syn_otf2_begin(struct syn_otf2_definitions *definitions, int64_t length_ns,
                    int64_t start_unix_ns)
{
    static const struct {
        const char *name, *description;
        OTF2_Type type;
    } attributes[SYN_OTF2_ATTRIBUTES] = {
        [SYN_OTF2_SITE] = {"call site", "where the program makes the call", OTF2_TYPE_STRING},
        [SYN_OTF2_SEQUENCE] = {"sequence", "number of the call on its communicator",
                               OTF2_TYPE_UINT64},
        [SYN_OTF2_BYTES] = {"bytes", "payload as the recorder counts it", OTF2_TYPE_UINT64},
        [SYN_OTF2_PHASE] = {"phase", "of MPI_Pcontrol", OTF2_TYPE_STRING},
        [SYN_OTF2_SOURCE_LINE] = {"source line", "of the call site",
                                  OTF2_TYPE_SOURCE_CODE_LOCATION},
    };
    OTF2_GlobalDefWriter *writer = definitions->writer;
    SYN_OTF2_CALL(definitions,
                  OTF2_GlobalDefWriter_WriteClockProperties(
                      writer, 1000000000, 0, (uint64_t)length_ns,
                      start_unix_ns > 0 ? (uint64_t)start_unix_ns : OTF2_UNDEFINED_TIMESTAMP));
    definitions->empty = define_string(definitions, "");
    for (uint32_t i = 0; i < SYN_OTF2_ATTRIBUTES; i++) {
        const OTF2_StringRef name = define_string(definitions, attributes[i].name);
        const OTF2_StringRef description = define_string(definitions, attributes[i].description);
        SYN_OTF2_CALL(definitions, OTF2_GlobalDefWriter_WriteAttribute(writer, i, name, description,
                                                                       attributes[i].type));
    }
    const OTF2_StringRef paradigm = define_string(definitions, "MPI");
    SYN_OTF2_CALL(definitions,
                  OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_MPI, paradigm,
                                                     OTF2_PARADIGM_CLASS_PROCESS));
    const OTF2_StringRef machine = define_string(definitions, "machine");
    define_string(definitions, "node");
    definitions->node_count = 1;
    SYN_OTF2_CALL(definitions, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                                   writer, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
}

/* Returns the definitions of a name; NULL: no memory. */
static struct syn_otf2_name *find_name(struct syn_otf2_definitions *definitions, uint32_t name)
{
    if (name >= definitions->name_count) {
        const size_t count = 2 * (size_t)name + 64, known = definitions->name_count;
        if (SYN_RESERVE(definitions->name, count) != SYN_OK) {
            SYN_OTF2_CALL(definitions, OTF2_ERROR_MEM_ALLOC_FAILED);
            return NULL;
        }
        memset(definitions->name + known, 0, (count - known) * sizeof *definitions->name);
        definitions->name_count = count;
    }
    return &definitions->name[name];
}

OTF2_StringRef syn_otf2_name(struct syn_otf2_definitions *definitions,
                             const struct syn_names *names, uint32_t name)
{
    struct syn_otf2_name *of = find_name(definitions, name);
    if (!of)
        return OTF2_UNDEFINED_STRING;
    if (!of->string) {
        const char *text = syn_names_text(names, name);
        of->string = define_string(definitions, text ? text : "?") + 1;
    }
    return of->string - 1;
}

/* Returns the length of "main.c" in "main.c:31 solve", and sets *line to 31. Returns 0 if the name
 * has another form. */
static size_t split_line(const char *name, uint32_t *line)
{
    const char *colon = strchr(name, ':');
    char *end;
    if (!colon || colon == name || colon[1] < '1' || colon[1] > '9')
        return 0;
    *line = (uint32_t)strtoul(colon + 1, &end, 10);
    return *end == ' ' || *end == '\0' ? (size_t)(colon - name) : 0;
}

OTF2_SourceCodeLocationRef syn_otf2_source_line(struct syn_otf2_definitions *definitions,
                                                const struct syn_names *names, uint32_t name)
{
    struct syn_otf2_name *of = find_name(definitions, name);
    char file[NAME_MAX + 1];
    uint32_t line = 0;
    if (of && !of->line) {
        const char *text = syn_names_text(names, name);
        const size_t length = text ? split_line(text, &line) : 0;
        of->line = UINT32_MAX;
        if (length > 0 && length < sizeof file) {
            snprintf(file, sizeof file, "%.*s", (int)length, text);
            const OTF2_StringRef of_file = define_string(definitions, file);
            of->line = ++definitions->line_count;
            SYN_OTF2_CALL(definitions, OTF2_GlobalDefWriter_WriteSourceCodeLocation(
                                           definitions->writer, of->line - 1, of_file, line));
        }
    }
    return !of || of->line == UINT32_MAX ? OTF2_UNDEFINED_SOURCE_CODE_LOCATION : of->line - 1;
}

/* ---- regions ---- */

/* OTF2's code and role of each collective. */
static const struct {
    OTF2_CollectiveOp op;
    OTF2_RegionRole role;
} collectives[] = {
    [SYN_ROW_BARRIER] = {OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER},
    [SYN_ROW_BCAST] = {OTF2_COLLECTIVE_OP_BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL},
    [SYN_ROW_GATHER] = {OTF2_COLLECTIVE_OP_GATHER, OTF2_REGION_ROLE_COLL_ALL2ONE},
    [SYN_ROW_GATHERV] = {OTF2_COLLECTIVE_OP_GATHERV, OTF2_REGION_ROLE_COLL_ALL2ONE},
    [SYN_ROW_SCATTER] = {OTF2_COLLECTIVE_OP_SCATTER, OTF2_REGION_ROLE_COLL_ONE2ALL},
    [SYN_ROW_SCATTERV] = {OTF2_COLLECTIVE_OP_SCATTERV, OTF2_REGION_ROLE_COLL_ONE2ALL},
    [SYN_ROW_ALLGATHER] = {OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_REGION_ROLE_COLL_ALL2ALL},
    [SYN_ROW_ALLGATHERV] = {OTF2_COLLECTIVE_OP_ALLGATHERV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    [SYN_ROW_ALLTOALL] = {OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_REGION_ROLE_COLL_ALL2ALL},
    [SYN_ROW_ALLTOALLV] = {OTF2_COLLECTIVE_OP_ALLTOALLV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    [SYN_ROW_ALLTOALLW] = {OTF2_COLLECTIVE_OP_ALLTOALLW, OTF2_REGION_ROLE_COLL_ALL2ALL},
    [SYN_ROW_REDUCE] = {OTF2_COLLECTIVE_OP_REDUCE, OTF2_REGION_ROLE_COLL_ALL2ONE},
    [SYN_ROW_ALLREDUCE] = {OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_REGION_ROLE_COLL_ALL2ALL},
    [SYN_ROW_REDUCE_SCATTER] = {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, OTF2_REGION_ROLE_COLL_ALL2ALL},
    [SYN_ROW_REDUCE_SCATTER_BLOCK] = {OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
                                      OTF2_REGION_ROLE_COLL_ALL2ALL},
    [SYN_ROW_SCAN] = {OTF2_COLLECTIVE_OP_SCAN, OTF2_REGION_ROLE_COLL_OTHER},
    [SYN_ROW_EXSCAN] = {OTF2_COLLECTIVE_OP_EXSCAN, OTF2_REGION_ROLE_COLL_OTHER},
};
#define COLLECTIVES (sizeof collectives / sizeof *collectives)

static OTF2_RegionRole role_of(uint16_t op)
{
    if (syn_is_message(op))
        return OTF2_REGION_ROLE_POINT2POINT;
    if (op % SYN_OP_FORM_STRIDE < COLLECTIVES)
        return collectives[op % SYN_OP_FORM_STRIDE].role;
    switch (syn_op_class(op, NULL)) {
    case SYN_CLASS_WINDOW:
        return OTF2_REGION_ROLE_RMA;
    case SYN_CLASS_FILE:
        return OTF2_REGION_ROLE_FILE_IO;
    default:
        return OTF2_REGION_ROLE_COLL_OTHER;
    }
}

bool syn_otf2_op(uint16_t op, OTF2_CollectiveOp *out)
{
    const unsigned row = op % SYN_OP_FORM_STRIDE;
    if (syn_is_message(op))
        return false;
    if (row < COLLECTIVES) {
        *out = collectives[row].op;
        return true;
    }
    *out = row == SYN_ROW_COMM_FREE ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE
                                    : OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    return row < SYN_ROW_COUNT && syn_op_class(op, NULL) == SYN_CLASS_COMM;
}

static OTF2_RegionRef find_region(struct syn_otf2_definitions *definitions, const char *name,
                                  OTF2_RegionRole role, uint32_t *known)
{
    if (!*known) {
        const OTF2_StringRef text = define_string(definitions, name);
        *known = ++definitions->region_count;
        SYN_OTF2_CALL(definitions,
                      OTF2_GlobalDefWriter_WriteRegion(
                          definitions->writer, *known - 1, text, text, definitions->empty, role,
                          OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, definitions->empty, 0, 0));
    }
    return *known - 1;
}

OTF2_RegionRef syn_otf2_region(struct syn_otf2_definitions *definitions, uint16_t op,
                               const char *name)
{
    return find_region(definitions, name ? name : "unknown operation", role_of(op),
                       &definitions->region_of_op[op]);
}

OTF2_RegionRef syn_otf2_wait_region(struct syn_otf2_definitions *definitions)
{
    return find_region(definitions, "MPI completion", OTF2_REGION_ROLE_COLL_OTHER,
                       &definitions->wait_region);
}

/* ---- communicators, processes and threads ---- */

/* Writes a group of `count` ranks: those of `ranks`; NULL: all of them in order. */
static void write_group(struct syn_otf2_definitions *definitions, uint32_t number,
                        OTF2_StringRef name, OTF2_GroupType type, const uint32_t *ranks,
                        uint32_t count)
{
    SYN_FREED uint64_t *members = calloc((size_t)count + 1, sizeof *members);
    if (!members)
        SYN_OTF2_CALL(definitions, OTF2_ERROR_MEM_ALLOC_FAILED);
    for (uint32_t m = 0; m < count && members; m++)
        members[m] = ranks ? ranks[m] : m;
    SYN_OTF2_CALL(definitions, OTF2_GlobalDefWriter_WriteGroup(
                                   definitions->writer, number, name, type, OTF2_PARADIGM_MPI,
                                   OTF2_GROUP_FLAG_NONE, count, members));
}

/* Plan: write group 0, which has the locations of MPI_COMM_WORLD; write group i + 1, which has the
 * members of communicator i. If its records are missing or disagree, its group is empty. */
void syn_otf2_comms(struct syn_otf2_definitions *definitions, const struct syn_comms *comms,
                    const struct syn_names *names)
{
    write_group(definitions, 0, definitions->empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, NULL,
                (uint32_t)comms->rank_count);
    for (uint32_t i = 0; i < comms->count; i++) {
        const struct syn_communicator *comm = &comms->comm[i];
        const OTF2_StringRef name = syn_otf2_name(definitions, names, comm->label);
        write_group(definitions, i + 1, name, OTF2_GROUP_TYPE_COMM_GROUP, comm->world_rank,
                    comm->world_rank ? comm->known_count : 0);
        SYN_OTF2_CALL(definitions,
                      OTF2_GlobalDefWriter_WriteComm(definitions->writer, i, name, i + 1,
                                                     OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
}

void syn_otf2_process(struct syn_otf2_definitions *definitions, const struct syn_names *names,
                      int32_t rank, uint32_t node_name)
{
    char name[32];
    const OTF2_StringRef of_node = syn_otf2_name(definitions, names, node_name);
    struct syn_otf2_name *node = find_name(definitions, node_name);
    if (!node)
        return;
    if (!node->node) {
        node->node = definitions->node_count++;
        const OTF2_StringRef kind = define_string(definitions, "node");
        SYN_OTF2_CALL(definitions, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                                       definitions->writer, node->node, of_node, kind, 0));
    }
    snprintf(name, sizeof name, "MPI Rank %d", rank);
    const OTF2_StringRef text = define_string(definitions, name);
    SYN_OTF2_CALL(definitions,
                  OTF2_GlobalDefWriter_WriteLocationGroup(
                      definitions->writer, (uint32_t)rank, text, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                      node->node, OTF2_UNDEFINED_LOCATION_GROUP));
}

void syn_otf2_location(struct syn_otf2_definitions *definitions, uint64_t location, int32_t rank,
                       uint32_t thread, uint64_t event_count)
{
    char name[48];
    snprintf(name, sizeof name, thread == 0 ? "Master thread" : "Thread %u", thread);
    const OTF2_StringRef text = define_string(definitions, name);
    SYN_OTF2_CALL(definitions, OTF2_GlobalDefWriter_WriteLocation(
                                   definitions->writer, location, text,
                                   OTF2_LOCATION_TYPE_CPU_THREAD, event_count, (uint32_t)rank));
}

void syn_otf2_free(struct syn_otf2_definitions *definitions)
{
    free(definitions->name);
}
