#!/bin/sh
# make.sh MAKE_TRACE DIRECTORY - the tutorial's traces. They were made, not measured: so what slows each is known, and the same
# everywhere. MAKE_TRACE is tests/bench/make_trace of a build with -DSYN_TESTS=ON.
set -e
make_trace=$1 directory=$2

make()
{
    name=$1
    shift
    rm -rf "${directory:?}/$name"
    "$make_trace" "$directory/$name" groups=3 median_ns=30000 named=1 "$@"
}

make uneven events=4000 late=2 late_ns=60000                                         # rank 2 works 60 us longer before each call
make seldom events=4000 ranks=8 late=5 late_ns=50000 late_share=0.4                  # rank 5 does so before four calls in ten
make pausing events=4000 late=1 late_ns=0 off_ns=4000000 off_share=0.02 samples_ns=1000000 # rank 1 sleeps for 4 ms before one in fifty
make chatty events=4000                                                              # nobody is late: the operations take the time
make slowing events=8000 jump_at=400 jump_ratio=1.6                                  # from the 400th call of each place on they take longer
