#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/symbols/label.h"
#include "analyze/symbols/producers.h"
#include "analyze/symbols/symbols.h"

static void expect_cut(const char *demangled, const char *expected)
{
    char name[256];
    strcpy(name, demangled);
    syn_label_cut_parameters(name);
    cr_expect_str_eq(name, expected, "%s became %s", demangled, name);
}

Test(symbols_label, parameters_are_cut_off_and_nothing_else)
{
    expect_cut("solve", "solve");
    expect_cut("solve(int, double)", "solve");
    expect_cut("Grid<double>::step(int) const", "Grid<double>::step");
    expect_cut("void f<int>(int)", "f<int>");
    expect_cut("std::vector<int, std::allocator<int> > make<int>(unsigned long)", "make<int>");
    expect_cut("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
    expect_cut("f(void (*)(int), int)", "f");
    expect_cut("Op::operator()(int) const", "Op::operator()");
    expect_cut("Op::operator()", "Op::operator()");
    expect_cut("Grid::operator double() const", "Grid::operator double");
    expect_cut("bool operator< <int>(Grid<int> const&, Grid<int> const&)", "operator< <int>");
    expect_cut("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()");
    expect_cut("solve(int) [clone .constprop.0]", "solve");
    expect_cut(")", ")");
    expect_cut("", "");
}

static void expect_function(const char *compiled, const char *expected)
{
    char *name = syn_label_function(compiled);
    cr_expect_str_eq(name, expected, "%s became %s", compiled, name);
    free(name);
}

Test(symbols_label, compiled_names_read_as_in_the_source)
{
    expect_function("solve", "solve");
    expect_function("solve_", "solve_");
    expect_function("MAIN__", "MAIN__");
    expect_function("__solver_MOD_step", "solver::step");
    expect_function("_ZN6solver4stepEid", "solver::step");
    expect_function("_Znot_mangled", "_Znot_mangled");
    expect_function("solve.constprop.0", "solve");
    expect_function("halo.1", "halo");
    expect_function("__solver_MOD_step.isra.0", "solver::step");
    expect_function(".text", ".text");
    expect_function("", "");
}

static void expect_clean(const char *text, const char *expected)
{
    char *out = syn_label_clean(text);
    cr_expect_str_eq(out, expected);
    free(out);
}

Test(symbols_label, what_could_harm_a_terminal_or_a_file_is_replaced)
{
    expect_clean("plain text", "plain text");
    expect_clean("tab\tnewline\n\033[31m", "tab?newline??[31m");
    expect_clean("gr\303\274\303\237e", "gr\303\274\303\237e");
    expect_clean("\303", "?");
    expect_clean("\300\200", "??");
    expect_clean("\355\240\200", "???");
    expect_clean("\364\220\200\200", "????");
    expect_clean("\302\233", "??");
    expect_clean("\360\237\230\200", "\360\237\230\200");
}

Test(symbols_label, the_most_used_compiler_comes_first)
{
    char out[64];
    struct syn_producers producers = {.count = 0};
    cr_expect_not(syn_producers_join(&producers, out, sizeof out));
    cr_expect_str_empty(out);
    syn_producers_add(&producers, "GNU AS 2.40");
    syn_producers_add(&producers, NULL);
    syn_producers_add(&producers, "A");
    syn_producers_add(&producers, "B");
    syn_producers_add(&producers, "B");
    cr_expect(syn_producers_join(&producers, out, sizeof out));
    cr_expect_str_eq(out, "B; A");
    cr_expect(syn_producers_join(&producers, out, 3));
    cr_expect_str_eq(out, "B;");
}

Test(symbols_label, runtime_objects_are_told_from_the_users)
{
    static const char *const runtime[] = {"/lib/x86_64-linux-gnu/libmpi.so.40",
                                          "/lib/x86_64-linux-gnu/libmpich.so.12",
                                          "/lib/x86_64-linux-gnu/libmpichfort.so.12",
                                          "/lib/x86_64-linux-gnu/libmpi_usempif08.so.40",
                                          "/opt/syncopate/lib/libsyncopate-openmpi.so",
                                          "/lib/x86_64-linux-gnu/libopen-pal.so.40",
                                          "/usr/lib/openmpi3/mca_coll_tuned.so",
                                          "/lib/x86_64-linux-gnu/libucp.so.0",
                                          "/lib/x86_64-linux-gnu/libuct.so.0",
                                          "libfabric.so.1"};
    static const char *const users[] = {
        "/usr/bin/hpcc",
        "/home/me/libmpitools.so",
        "/home/me/libsolver.so",
        "/lib/x86_64-linux-gnu/libscalapack-openmpi.so.2.2",
        "/usr/lib/python3/dist-packages/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so",
        "/libmpi.so.40/program",
        ""};
    for (size_t i = 0; i < sizeof runtime / sizeof runtime[0]; i++)
        cr_expect(syn_symbols_is_runtime(runtime[i]), "%s", runtime[i]);
    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++)
        cr_expect_not(syn_symbols_is_runtime(users[i]), "%s", users[i]);
}
