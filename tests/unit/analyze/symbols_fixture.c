/* Functions whose calls are looked up by symbols_object_test. Each line that calls is named by a
 * constant. */
typedef void callback(void);

/* Keeps the call from becoming a jump, so that there is a return address in the function. */
#define KEEP __asm__ volatile("" ::: "memory")

/* A copy for one caller would have another name (clang makes none, and knows no such attribute). */
#ifdef __clang__
#define IN_ONE_PIECE __attribute__((noinline))
#else
#define IN_ONE_PIECE __attribute__((noinline, noclone))
#endif

const int fixture_solve_line = __LINE__ + 3;
void fixture_solve(callback *call)
{
    call();
    KEEP;
}

const int fixture_helper_line = __LINE__ + 3;
static inline __attribute__((always_inline)) void helper(callback *call)
{
    call();
    KEEP;
}

void fixture_inlined(callback *call)
{
    KEEP;
    helper(call);
    KEEP;
}

static IN_ONE_PIECE void hidden(callback *call)
{
    call();
    KEEP;
}

void fixture_hidden(callback *call)
{
    hidden(call);
    KEEP;
}

/* As MPI's C++ bindings do it: one inline function in a header calls another one. */
#include "symbols_mpicxx.h"

const int fixture_binding_line = __LINE__ + 4;
void fixture_binding(callback *call)
{
    KEEP;
    binding(call);
    KEEP;
}
