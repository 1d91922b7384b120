/* tests/mpi/control_behind.c - a tool that wraps MPI_Pcontrol, to be preloaded behind syncopate:
 * what it is given must be what the program passed. control.c passes arguments with the first call
 * of each level above 1 and none with later ones, and nothing but that tells a tool whether there
 * are any: it must not look for what was not passed. */
#include <stdarg.h>
#include <stdio.h>

int MPI_Pcontrol(const int level, ...);
int PMPI_Pcontrol(const int level, ...);

int MPI_Pcontrol(const int level, ...)
{
    static int seen[2];
    const int which = level == 2 ? 0 : 1;
    if (level <= 1 || seen[which]++ > 0)
        return 0;
    va_list arguments;
    va_start(arguments, level);
    const char *name = va_arg(arguments, const char *);
    const double number = va_arg(arguments, double);
    const long other = va_arg(arguments, long);
    printf("%d %s %g %ld\n", level, name, number, other);
    va_end(arguments);
    return 0;
}
