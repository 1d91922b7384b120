/* tests/mpi/private_mpi.c - a program that knows no MPI: it loads a plugin that does, privately, as
 * mpi4py does. usage: private_mpi PLUGIN */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(int *, char ***) = plugin ? (int (*)(int *, char ***))dlsym(plugin, "run") : NULL;
    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    return run(&argc, &argv);
}
