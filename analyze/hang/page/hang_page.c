/* analyze/hang/page/hang_page.c - writes a hang and disagreements as sentences and facts
 * (docs/hang.md). */
#include "analyze/hang/page/hang_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "trace/base/ops.h"

/* The most places that are listed; the number of the others is said. */
#define WAITS_TOLD  6
#define ABSENT_TOLD 8
#define CYCLE_TOLD  12
/* A shorter wait is not said. */
#define WAIT_TO_TELL_NS INT64_C(1000000000)

/* ---- ranks ---- */

/* Writes "rank 3" or "ranks 0-2, 7 and 20 more"; ranks are ascending. */
static void put_ranks(struct syn_text *out, const int32_t *rank, size_t count)
{
    size_t told = 0;
    syn_text_string(out, count == 1 ? "rank " : "ranks ");
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && rank[end] == rank[end - 1] + 1;)
            end++;
        if (told++ == ABSENT_TOLD) {
            syn_text_format(out, " and %zu more", count - i);
            return;
        }
        syn_text_format(out,
                        end - i == 1   ? "%s%d"
                        : end - i == 2 ? "%s%d, %d"
                                       : "%s%d-%d",
                        i ? ", " : "", rank[i], rank[end - 1]);
    }
}

/* ---- calls ---- */

static const char *site_of(const struct syn_examination *of, uint32_t site)
{
    const char *text = syn_names_text(of->look.names, site);
    return text ? text : "?";
}

static double lasted_ns(const struct syn_examination *of, const struct syn_hang_call *call)
{
    return (double)syn_largest(of->looked.model.now_ns - call->since_ns, INT64_C(0));
}

/* Writes " for at least 3.41 s" of a run that is dead, " for 3.41 s" of one that goes on. Writes
 * nothing if no time is known to have passed. before: the words in front of it. */
static void put_time(const struct syn_examination *of, const char *before, double ns,
                     struct syn_text *out)
{
    if (ns > 0)
        syn_words(out, "{text}{text}{time}", before, of->looked.model.live ? "" : "at least ", ns);
}

/* Writes "MPI_Barrier #41 on MPI_COMM_WORLD", "MPI_Recv from rank 4 with tag 11". */
static void put_call(const struct syn_examination *of, const struct syn_hang_call *call,
                     struct syn_text *out)
{
    const struct syn_hang_model *model = &of->looked.model;
    const char *op = syn_op_name(call->op);
    syn_text_string(out, syn_hang_call_name(call));
    if (call->inside == SYN_HANG_COLLECTIVE) {
        if (op && call->name && strcmp(op, call->name) != 0)
            syn_text_format(out, " of %s", op);
        syn_words(out, " #{n} on {text}", call->sequence, model->comm[call->comm].label);
    }
    if (call->inside != SYN_HANG_MESSAGE)
        return;
    if (call->to.rank >= 0)
        syn_words(out, " to rank {rank}", call->to.rank);
    if (call->from.rank >= 0)
        syn_words(out, " from rank {rank}", call->from.rank);
    if (call->from.rank == SYN_HANG_ANYBODY)
        syn_text_string(out, " from any rank");
    const struct syn_hang_peer *peer = call->from.rank == SYN_HANG_NOBODY ? &call->to : &call->from;
    if (peer->tag != SYN_HANG_ANY_TAG && peer->rank != SYN_HANG_NOBODY)
        syn_words(out, " with tag {n}", peer->tag);
}

/* Writes " at solve.c:31 main"; nothing if the call site is not known. */
static void put_site(const struct syn_examination *of, const struct syn_hang_call *call,
                     struct syn_text *out)
{
    if (syn_names_text(of->look.names, call->site))
        syn_words(out, " at {place}", site_of(of, call->site));
}

/* ---- ranks that are waited for ---- */

static int compare_ranks(const struct syn_hang_rank *a, const struct syn_hang_rank *b)
{
    return SYN_DOWN(process) ?: SYN_UP(ending) ?: SYN_UP(state);
}

/* Returns 0 for calls at the same place. Of a call that has returned, its site is the place. */
static int compare_calls(const struct syn_hang_call *a, const struct syn_hang_call *b)
{
    if (a->inside != b->inside || a->site != b->site || !syn_hang_is_open(a))
        return SYN_UP(inside) ?: SYN_UP(site);
    const int peers = SYN_UP(to.rank) ?: SYN_UP(from.rank);
    return SYN_UP(comm) ?: SYN_UP(sequence) ?: peers ?: SYN_UP(op);
}

/* Orders the places of ranks, 0 for the same place: roots first, then by what the ranks do. Ranks
 * without a call come last. */
static int compare_places(const struct syn_examination *of, const struct syn_hang_absent *a,
                          const struct syn_hang_absent *b)
{
    const struct syn_hang_model *model = &of->looked.model;
    const int ranks = SYN_DOWN(root) ?: compare_ranks(&model->rank[a->rank], &model->rank[b->rank]);
    if (ranks != 0)
        return ranks;
    if (a->call == SIZE_MAX || b->call == SIZE_MAX)
        return SYN_UP(call);
    return compare_calls(&model->call[a->call], &model->call[b->call]);
}

static int by_place_then_rank(const void *left, const void *right, void *examination)
{
    const struct syn_hang_absent *a = left, *b = right;
    return compare_places(examination, a, b) ?: SYN_UP(rank);
}

static void say_ending(struct syn_text *out, const struct syn_hang_rank *rank)
{
    switch (rank->ending) {
    case SYN_ENDING_UNKNOWN:
    case SYN_ENDING_KILLED:
        syn_text_string(out, "has died");
        break;
    case SYN_ENDING_EXIT:
        syn_text_string(out, "has ended without MPI_Finalize");
        break;
    case SYN_ENDING_ABORT:
        syn_text_string(out, "called MPI_Abort");
        break;
    default:
        syn_words(out, "died of {text}", syn_ending_name(rank->ending));
    }
}

/* Says which members have returned from the blocking collective that others are still inside. If
 * ranks disagree, these members may have made another call. */
static void say_returned(const struct syn_examination *of, const struct syn_hang_call *call,
                         struct syn_text *out)
{
    const struct syn_hang_model *model = &of->looked.model;
    if (call->inside != SYN_HANG_COLLECTIVE || call->op >= SYN_OP_FORM_STRIDE ||
        of->mismatches.count > 0)
        return;
    const struct syn_hang_comm *comm = &model->comm[call->comm];
    SYN_FREED bool *inside = calloc((size_t)model->rank_count + 1, sizeof *inside);
    SYN_FREED int32_t *rank = malloc((comm->size + 1) * sizeof *rank);
    size_t count = 0;
    for (size_t i = 0; inside && i < model->call_count; i++) {
        const struct syn_hang_call *other = &model->call[i];
        inside[other->rank] |= other->inside == SYN_HANG_COLLECTIVE && other->comm == call->comm &&
                               other->sequence == call->sequence;
    }
    for (uint32_t m = 0; inside && rank && m < comm->size; m++)
        if (comm->begun[m] > call->sequence && comm->begun[m] != SYN_HANG_ALL_BEGUN &&
            !inside[comm->world_rank[m]])
            rank[count++] = (int32_t)comm->world_rank[m];
    if (count > 0) {
        syn_text_string(out, "; ");
        put_ranks(out, rank, count);
        syn_text_string(out, count == 1 ? " has returned from it" : " have returned from it");
    }
    out->failed |= !inside || !rank;
}

/* Says where a rank is that others wait for: gone, without a known call, outside MPI, or in another
 * call. */
static void say_absent(const struct syn_examination *of, const struct syn_hang_absent *absent,
                       struct syn_text *out)
{
    static const struct {
        char state;
        const char *words;
    } processes[] = {
        {'R', ", running"}, {'S', ", asleep"}, {'D', ", waiting for a disk or the network"}};
    const struct syn_hang_model *model = &of->looked.model;
    const struct syn_hang_rank *rank = &model->rank[absent->rank];
    const struct syn_hang_call *call = absent->call == SIZE_MAX ? NULL : &model->call[absent->call];
    if (rank->process == SYN_HANG_DIED)
        say_ending(out, rank);
    else if (rank->process == SYN_HANG_ENDED)
        syn_text_string(out, "has left MPI_Finalize");
    else if (!call)
        syn_text_string(out, "has made no call since MPI_Init");
    else if (call->inside == SYN_HANG_OUTSIDE) {
        if (rank->process == SYN_HANG_STOPPED)
            syn_text_string(out, "stopped by a signal or a debugger, ");
        syn_text_string(out, "outside of MPI");
        put_time(of, " for ", lasted_ns(of, call), out);
        syn_words(out, ", after {text}", syn_hang_call_name(call));
        put_site(of, call, out);
        for (size_t i = 0; i < sizeof processes / sizeof *processes; i++)
            if (rank->state == processes[i].state)
                syn_text_string(out, processes[i].words);
    } else {
        syn_text_string(out, rank->process == SYN_HANG_STOPPED ? "stopped in " : "in ");
        put_call(of, call, out);
        put_site(of, call, out);
        put_time(of, " for ", lasted_ns(of, call), out);
        say_returned(of, call, out);
    }
    if (rank->process == SYN_HANG_DIED && call) {
        syn_text_string(out, syn_hang_is_open(call) ? ", in " : ", after ");
        put_call(of, call, out);
        put_site(of, call, out);
    }
}

/* Writes the roots under one heading, then the ranks that wait themselves. Ranks at one place are
 * written together. */
static void say_absent_ranks(struct syn_doc *doc, const struct syn_examination *of)
{
    const size_t count = of->hang.absent_count;
    SYN_FREED struct syn_hang_absent *absent = malloc((count + 1) * sizeof *absent);
    SYN_FREED int32_t *rank = malloc((count + 1) * sizeof *rank);
    size_t told[2] = {0, 0};
    if (absent && rank && count > 0) {
        memcpy(absent, of->hang.absent, count * sizeof *absent);
        qsort_r(absent, count, sizeof *absent, by_place_then_rank, (void *)(uintptr_t)of);
        for (size_t i = 0, end; i < count; i = end) {
            for (end = i; end < count && compare_places(of, &absent[i], &absent[end]) == 0; end++)
                rank[end - i] = absent[end].rank;
            const bool root = absent[i].root;
            if (told[root]++ == 0)
                syn_doc_heading(doc, root ? "Waited for" : "Waiting, and waited for");
            if (told[root] > ABSENT_TOLD)
                continue;
            struct syn_text *line = syn_doc_begin(doc, SYN_DOC_ITEM);
            put_ranks(line, rank, end - i);
            syn_text_string(line, ": ");
            say_absent(of, &absent[i], line);
        }
    }
    for (int root = 0; root < 2; root++)
        if (told[root] > ABSENT_TOLD)
            syn_say_note(doc, "{n} more {text} (--format json)", told[root] - ABSENT_TOLD,
                         root ? "places where ranks are waited for"
                              : "places where ranks wait and are waited for");
    doc->failed |= !absent || !rank;
}

/* ---- disagreements ---- */

#define MISMATCHES_TOLD 8

void syn_hang_write_mismatches(struct syn_doc *doc, const struct syn_examination *of)
{
    const struct syn_mismatches *all = &of->mismatches;
    if (all->count == 0)
        return;
    syn_doc_heading(doc, "Ranks disagree");
    for (size_t i = 0; i < syn_least(all->count, (size_t)MISMATCHES_TOLD); i++) {
        const struct syn_mismatch *mismatch = &all->at[i];
        const char *comm = syn_names_text(of->look.names, mismatch->comm);
        const char *site = site_of(of, mismatch->site);
        const bool one = mismatch->rank_count == 1, one_other = mismatch->others_count == 1;
        SYN_CLEANUP(syn_text_free) struct syn_text others = {0};
        if (one_other)
            syn_text_string(&others, "the other");
        else
            syn_words(&others, "the {n} others", mismatch->others_count);
        put_ranks(syn_doc_begin(doc, SYN_DOC_ITEM), mismatch->rank, mismatch->rank_count);
        if (mismatch->shift != 0)
            syn_say_more(doc,
                         " made {text} than {text}, at {place}, after {count} equal call{s} "
                         "on {text}",
                         mismatch->what, syn_text_chars(&others), site, mismatch->sequence, comm);
        else if (mismatch->by == SYN_DIFFERENCE_OPERATION)
            syn_say_more(doc,
                         " {text} {text} at {place} where {text} {text} {text} at {place}: "
                         "#{n} on {text}",
                         one ? "calls" : "call", mismatch->what, site, syn_text_chars(&others),
                         one_other ? "calls" : "call", mismatch->others_what,
                         site_of(of, mismatch->others_site), mismatch->sequence, comm);
        else
            syn_say_more(doc,
                         " {text} {text} with {text}, at {place}, where {text} {text} {text}, "
                         "at {place}: #{n} on {text}",
                         one ? "calls" : "call", syn_op_name(mismatch->op), mismatch->what, site,
                         syn_text_chars(&others), one_other ? "has" : "have", mismatch->others_what,
                         site_of(of, mismatch->others_site), mismatch->sequence, comm);
        if (mismatch->instance_count > 1)
            syn_say_more(doc, "; from there on {count} instances there disagree",
                         mismatch->instance_count);
        doc->failed |= others.failed;
    }
    if (all->count > MISMATCHES_TOLD)
        syn_say_note(doc, "{n} more communicators have ranks that disagree (--format json)",
                     all->count - MISMATCHES_TOLD);
}

/* ---- the state ---- */

/* Lists the ranks that are roots: *count of them. NULL: no memory. */
static int32_t *list_roots(const struct syn_hang *hang, size_t *count)
{
    int32_t *rank = malloc((hang->absent_count + 1) * sizeof *rank);
    *count = 0;
    for (size_t i = 0; rank && i < hang->absent_count; i++)
        if (hang->absent[i].root)
            rank[(*count)++] = hang->absent[i].rank;
    return rank;
}

/* Returns the lowest root. There must be one. */
static int32_t first_root(const struct syn_hang *hang)
{
    size_t i = 0;
    while (!hang->absent[i].root)
        i++;
    return hang->absent[i].rank;
}

/* Says whether a call never returns, by the graph of waiting. */
static bool is_lost(const struct syn_hang *hang)
{
    bool lost = false;
    for (size_t i = 0; i < hang->wait_count; i++)
        lost |= hang->wait[i].lost;
    return lost;
}

static bool has_exited(const struct syn_hang_model *model)
{
    bool exited = false;
    for (int32_t r = 0; r < model->rank_count; r++)
        exited |= model->rank[r].ending == SYN_ENDING_EXIT;
    return exited;
}

/* Says what never ends. roots: the words for the ranks that are waited for, `count` of them. */
static void say_stuck(struct syn_doc *doc, const struct syn_examination *of, const char *roots,
                      size_t count)
{
    const struct syn_hang *hang = &of->hang;
    syn_say(doc, "Stuck");
    if (hang->is_conditional)
        syn_say_more(doc, ", unless a message was under way when the run was killed");
    else
        put_time(of, " for ", (double)hang->for_ns, syn_doc_more(doc));
    syn_say_more(doc, ": ");
    if (count > 0 && is_lost(hang)) {
        const struct syn_hang_rank *first = &of->looked.model.rank[first_root(hang)];
        syn_say_more(doc, "{text}", roots);
        if (count == 1 && first->process == SYN_HANG_DIED) {
            syn_say_more(doc, " ");
            say_ending(syn_doc_more(doc), first);
            syn_say_more(doc, " and");
        }
        syn_say_more(doc, " never {text}.", count == 1 ? "comes" : "come");
    } else if (hang->cycle_count == 1)
        syn_say_more(doc, "rank {rank} waits for itself.", hang->cycle[0]);
    else
        syn_say_more(doc, "{text}.",
                     is_lost(hang) ? "ranks wait for each other"
                                   : "ranks do not make the same call");
}

static void say_waiting(struct syn_doc *doc, const struct syn_examination *of, const char *roots)
{
    const struct syn_hang *hang = &of->hang;
    syn_say(doc, "Waiting for {text}", roots[0] ? roots : "others");
    put_time(of, ", not come for ", (double)hang->for_ns, syn_doc_more(doc));
    syn_say_more(doc, ".");
    if (hang->longest_before_ns >= 0)
        syn_say_more(doc, " The longest such wait before took {time}.", hang->longest_before_ns);
    if (isfinite(hang->chance))
        syn_say_more(doc,
                     " Where nothing is wrong, a wait longer than all before is seen at most once "
                     "in {number.0} times.",
                     1 / hang->chance);
}

static void say_killed(struct syn_doc *doc, const struct syn_examination *of, const char *roots)
{
    syn_say(doc, "Killed before MPI_Finalize");
    if (roots[0]) {
        syn_say_more(doc, ", while ranks waited for {text}", roots);
        put_time(of, ", for ", (double)of->hang.for_ns, syn_doc_more(doc));
    }
    syn_say_more(doc, ". No wait was long enough to be called a hang (--after).");
}

static void say_headline(struct syn_doc *doc, const struct syn_examination *of)
{
    const struct syn_hang *hang = &of->hang;
    size_t count;
    SYN_FREED int32_t *root = list_roots(hang, &count);
    SYN_CLEANUP(syn_text_free) struct syn_text roots = {0};
    if (root && count > 0)
        put_ranks(&roots, root, count);
    switch (hang->state) {
    case SYN_HANG_IS_STUCK:
        say_stuck(doc, of, syn_text_chars(&roots), root ? count : 0);
        break;
    case SYN_HANG_IS_WAITING:
        say_waiting(doc, of, syn_text_chars(&roots));
        break;
    case SYN_HANG_IS_PROGRESSING: {
        if (hang->for_ns < WAIT_TO_TELL_NS)
            syn_say(doc, "Progressing: nobody waits for unusually long.");
        else
            syn_say(doc,
                    "No hang so far: ranks have waited for {time}, which is too short, or too few "
                    "earlier calls tell how long is too long (--after).",
                    hang->for_ns);
    } break;
    case SYN_HANG_HAS_ENDED:
        syn_say(doc, "Ended: all ranks {text}.",
                has_exited(&of->looked.model) ? "have left MPI_Finalize, or the program by exit()"
                                              : "have left MPI_Finalize");
        break;
    default:
        say_killed(doc, of, syn_text_chars(&roots));
    }
    doc->failed |= !root || roots.failed;
}

static void say_cycle(struct syn_doc *doc, const struct syn_hang *hang)
{
    syn_say(doc, "Rank {rank}", hang->cycle[0]);
    for (size_t i = 1; i < syn_least(hang->cycle_count, (size_t)CYCLE_TOLD); i++)
        syn_say_more(doc, "{text}waits for rank {rank}", i == 1 ? " " : ", which ", hang->cycle[i]);
    if (hang->cycle_count > CYCLE_TOLD)
        syn_say_more(doc, ", and so on over {n} ranks", hang->cycle_count);
    syn_say_more(doc, ", which waits for rank {rank}{text}.", hang->cycle[0],
                 hang->is_conditional ? "" : ": a deadlock");
}

/* Writes a line for each place where ranks wait. If the run is stuck, also for ranks whose call
 * need not wait. */
static void say_waits(struct syn_doc *doc, const struct syn_examination *of)
{
    size_t count = 0;
    for (size_t i = 0; i < of->hang.wait_count; i++) {
        const struct syn_hang_wait *wait = &of->hang.wait[i];
        const struct syn_hang_call *call = &of->looked.model.call[wait->call];
        if (!wait->waits && of->hang.state != SYN_HANG_IS_STUCK)
            continue;
        if (count == 0)
            syn_doc_heading(doc, "Waiting");
        if (count++ >= WAITS_TOLD)
            continue;
        struct syn_text *line = syn_doc_begin(doc, SYN_DOC_ITEM);
        if (wait->rank_count == 1 || call->inside == SYN_HANG_COLLECTIVE)
            put_call(of, call, line);
        else
            syn_text_string(line, syn_hang_call_name(call));
        put_site(of, call, line);
        syn_text_string(line, ": ");
        put_ranks(line, wait->rank, wait->rank_count);
        put_time(of, ", ", lasted_ns(of, call), line);
        if (wait->earlier.count > 0)
            syn_words(line, " (the longest of {count} before: {time})", wait->earlier.count,
                      wait->earlier.longest_ns);
    }
    if (count > WAITS_TOLD)
        syn_say_note(doc, "{n} more places where ranks wait (--format json)", count - WAITS_TOLD);
}

static void say_hang(struct syn_doc *doc, const struct syn_examination *of)
{
    const struct syn_hang *hang = &of->hang;
    syn_doc_heading(doc, "Hang");
    say_headline(doc, of);
    if (hang->cycle_count >= 2)
        say_cycle(doc, hang);
    syn_hang_write_mismatches(doc, of);
    say_absent_ranks(doc, of);
    say_waits(doc, of);
    if (hang->unknown_count == 0)
        return;
    syn_doc_heading(doc, "Unknown");
    put_ranks(syn_doc_begin(doc, SYN_DOC_ITEM), hang->unknown, hang->unknown_count);
    syn_say_more(doc, ": no file that says where; waited for or not, nobody can tell");
}

void syn_hang_write(struct syn_doc *doc, const struct syn_examination *examination)
{
    syn_doc_embed(doc, syn_hang_json, examination);
    if (examination->has_hang)
        say_hang(doc, examination);
    else
        syn_hang_write_mismatches(doc, examination);
}
