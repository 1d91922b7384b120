/* tests/mpi/control_behind.c - a tool that wraps MPI_Pcontrol, to be preloaded behind syncopate:
 * what it is given must be what the program passed. */
#include <stdarg.h>
#include <stdio.h>

int MPI_Pcontrol(const int level, ...);
int PMPI_Pcontrol(const int level, ...);

int MPI_Pcontrol(const int level, ...)
{
    va_list arguments;
    va_start(arguments, level);
    const char *name = level > 1 ? va_arg(arguments, const char *) : "";
    if (level > 1 && name && (*name == 'a')) {
        const double number = va_arg(arguments, double);
        const long other = va_arg(arguments, long);
        printf("%d %s %g %ld\n", level, name, number, other);
    }
    va_end(arguments);
    return 0;
}
