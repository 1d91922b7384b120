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

// Names of some thousand characters, which differ in their last ones alone.
template <class A, class B> struct Pair {};
template <int N> struct Deep {
    typedef Pair<typename Deep<N - 1>::type, typename Deep<N - 1>::type> type;
};
template <> struct Deep<0> {
    typedef double type;
};
template <class T, class U> __attribute__((noinline)) void exchange(void (*call)())
{
    call();
    __asm__ volatile("" ::: "memory");
}

extern "C" void fixture_cxx_long(void (*call)())
{
    exchange<Deep<7>::type, int>(call);
    __asm__ volatile("" ::: "memory");
}

extern "C" void fixture_cxx_other(void (*call)())
{
    exchange<Deep<7>::type, long>(call);
    __asm__ volatile("" ::: "memory");
}

extern "C" void fixture_cxx(void (*call)())
{
    solver::Grid<double>().step(call, 1.0);
    __asm__ volatile("" ::: "memory");
}
