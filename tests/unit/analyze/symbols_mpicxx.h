/* Stands for MPI's own header of C++ bindings, and says that it is one. */
#line 1 "/usr/include/mpicxx.h"
static inline __attribute__((always_inline)) void inner_binding(callback *call)
{
    KEEP;
    call();
    KEEP;
}

static inline __attribute__((always_inline)) void binding(callback *call)
{
    inner_binding(call);
    KEEP;
}
