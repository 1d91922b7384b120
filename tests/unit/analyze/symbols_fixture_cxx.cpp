// Compiled where there is a C++ compiler: names that need demangling.
namespace solver {
namespace {
template <class T> struct Grid {
    __attribute__((noinline)) void step(void (*call)(), T value) const
    {
        call();
        __asm__ volatile("" ::"m"(value) : "memory");
    }
};
} // namespace
} // namespace solver

extern "C" void fixture_cxx(void (*call)())
{
    solver::Grid<double>().step(call, 1.0);
    __asm__ volatile("" ::: "memory");
}
