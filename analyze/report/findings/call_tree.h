/* analyze/report/findings/call_tree.h - the groups of a report by call path, as a tree from the
 * program's outermost frame to the operations. */
#ifndef SYN_CALL_TREE_H
#define SYN_CALL_TREE_H

#include "analyze/report/findings/report.h"

/* Times are sums over the ranks, of the node and all below it. */
struct syn_call_node {
    char *name;                  /* of a frame, or of an operation; owned */
    size_t parent;               /* the root (node 0): itself */
    size_t first_child, sibling; /* 0: none; children by `inside_ns`, largest first */
    uint64_t call_count;         /* instances */
    double inside_ns, waiting_ns, caused_ns;
};

struct syn_call_tree {
    struct syn_call_node *node; /* [count], node 0 is the root */
    size_t count, capacity;
};

/* Makes the tree of a report by stack (sites are paths, symbols.h). Returns 0 or SYN_ENOMEM; free
 * it in any case. */
int syn_call_tree_make(const struct syn_report *report, struct syn_call_tree *out);
void syn_call_tree_free(struct syn_call_tree *tree);

/* The tree as lines of text, widest branch first, at most `top` lines (0: all). */
void syn_call_tree_text(const struct syn_call_tree *tree, const struct syn_report *report,
                        const struct syn_terminal *terminal, struct syn_text *text);
/* The tree as a table on a page of HTML. */
void syn_call_tree_html(const struct syn_call_tree *tree, const struct syn_report *report,
                        struct syn_text *text);
/* "main;solve;sum;MPI_Allreduce 1234", a line a leaf, as flame graph tools read it: nanoseconds
 * inside MPI, or (the report sorted by wait) of waiting. */
void syn_report_folded(const struct syn_report *report, struct syn_text *text);

#endif
