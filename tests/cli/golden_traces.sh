# golden_traces.sh - the traces that facts.txt speaks of, in the current directory.
set -e
make() { "$MAKE_TRACE" "$@"; }

make basic events=2000 groups=4 late=2 late_share=0.5
make few events=40 groups=3
make slowed events=40 groups=3 slow=30 slow_group=1
make many events=4000 groups=30 seed=7 rooted=1
make split ranks=8 events=3000 groups=3 split=1 late=5 late_share=0.4 late_ns=9000
make blurred events=2000 groups=2 bound_ns=3000
make spread ranks=8 events=4000 groups=4 interval_ns=3000 # uneven, but nowhere by much
make unknown events=4000 groups=2 unknown_clock=1
make nothing events=0
make paused events=800 groups=2 paused=50
make costly events=800 groups=2 interval_ns=150
make uninitialized events=800 groups=2 interval_ns=150 init_ns=0
make once events=16 groups=4 late=2 late_ns=400000
# Rank 3 is long in a broadcast: by itself, or because it waits there for another; times do not tell.
make tree events=4000 groups=4 rooted=1 eager=1 slow=20 slow_rank=3 slow_group=3 carried=1
make pair ranks=2 events=4000 groups=3
make messaging ranks=2 events=200 groups=2 messages_ns=3000000
# Rank 2 is late now and then, at many places: no place has enough passes to show it.
make scattered events=400 groups=20 late=2 late_share=0.1 late_ns=60000 interval_ns=300000
make alone ranks=1 events=100 groups=2
make warming events=4800 groups=2 warmup=40
make jumping events=8000 groups=2 jump_at=600 jump_ratio=1.3
make falling events=4000 groups=1 fall=0.667
make first events=4800 groups=12 warmup=1
for run in 1 2 3; do make warmed/run-000$run events=4800 groups=2 warmup=$((60 - 20 * run)) seed=$run run=$run; done
make places ranks=8 events=4800 groups=2 late=6 late_share=0.6 sockets=2 warmup=30
for run in 1 2 3; do make experiment/run-000$run events=1200 groups=2 late=1 late_share=0.3 run=$run; done

# Sides for diff: ten runs, each with noise of its own; in B operation 1 takes 5 % longer, in C for rank 2 only.
for run in 01 02 03 04 05 06 07 08 09 10; do
    make side_a/run-00$run events=9600 groups=3 run_effect=0.005 run=$run
    make side_b/run-00$run events=9600 groups=3 run_effect=0.005 seed=2 slow=1.05 slow_group=1 run=$run
    make side_c/run-00$run events=9600 groups=3 run_effect=0.005 seed=2 slow=1.05 slow_group=1 slow_rank=2 run=$run
    make same/run-00$run events=1200 groups=3 run_effect=0.03 seed=3 run=$run
    make again/run-00$run events=1200 groups=3 run_effect=0.03 seed=4 run=$run
done
for run in 1 2 3 4; do
    make moved/run-000$run events=1200 groups=2 site_shift=16 run=$run
    make wide/run-000$run events=1200 groups=2 unknown_clock=1 run=$run
done

# Sides with messages: in E rank 2 works 50 us longer before it sends.
for run in 1 2 3 4 5 6; do
    make side_d/run-000$run program=1 events=60 run_effect=0.02 seed=$run run=$run
    make side_e/run-000$run program=1 events=60 run_effect=0.02 seed=2$run late=2 late_ns=50000 run=$run
done

make hung events=400 groups=3 hung=1
make hung_pair ranks=2 events=400 groups=3 hung=1
make threads events=800 groups=2 threads=2
# Rank 2 is late, and the kernel says that others had its processor; in the other its clock is slower.
make displaced ranks=4 events=4000 groups=2 late=2 late_ns=4000 samples_ns=100000 lost_share=0.15
make slow_clock ranks=4 events=4000 groups=2 late=2 late_ns=4000 samples_ns=100000 clock_ratio=0.8
# All that the machine can do to it at once.
make crowded ranks=8 events=8000 groups=6 late=2 late_ns=4000 late_share=0.9 samples_ns=100000 lost_share=0.15 clock_ratio=0.8 \
    off_ns=40000 off_share=0.05 processors=2 split=1
make segments ranks=2 events=80 groups=2 messages_ns=3000 late=1 late_ns=0 off_ns=400000 off_share=0.1 samples_ns=100000
# So long that it is a few calls alone.
make rarely ranks=4 events=4000 groups=2 late=2 late_share=0.05 late_ns=400000 samples_ns=100000 lost_share=0.5 off_ns=300000 \
    off_share=0.05
# Messages, each of them; ranks wait for one another in turn.
make halo program=1 ranks=2 events=600 late_ns=0 seed=3
make halo_late program=1 ranks=2 events=600 late=1 late_ns=9000
# Nothing but messages: each of them, and their sum alone.
make unmet program=2 events=400 late=0 late_ns=30000 meetings=0
make summed events=0 messages_ns=60000000 finalize_ns=100000000 interval_ns=150

# Waits that are longer than a slice of the run's time; the second of calls that overlap.
make long_waits events=800 groups=3 late=2 late_share=0.3 late_ns=400000 split=1 ranks=6
make overlapping events=800 groups=2 late=1 late_share=0.5 late_ns=300000 nonblocking=3 hidden_ns=9000

# Bad ones.
mkdir empty
mkdir compared && echo "syncopate-comparison 1" >compared/comparison
echo "not a trace" >file
mkdir foreign && echo "hello" >foreign/readme
make lacking events=800 groups=2 && rm lacking/rank-000001.syn
make cut events=800 groups=2 && truncate -s -200 cut/rank-000002.syn
make flipped events=800 groups=2
frames() { LC_ALL=C grep -abo "$(printf '\050\265\057\375')" "$1" | cut -d: -f1; }
last=$(frames flipped/rank-000003.syn | tail -2 | head -1) # of the events: the one after it is the end
printf '\377' | dd of=flipped/rank-000003.syn bs=1 seek=$((last + 40)) conv=notrunc 2>/dev/null
make all_flipped ranks=24 events=2400 groups=2 # each with a fault of its own
for file in all_flipped/rank-*.syn; do
    printf '\377' | dd of=$file bs=1 seek=$(($(frames $file | tail -2 | head -1) + 40)) conv=notrunc 2>/dev/null
done
make twice events=800 groups=2 twice=70
make mixed events=800 groups=2 && make other events=800 groups=2 run=9 && cp other/rank-000001.syn mixed/
make newer events=80 newer=1
make killed events=800 groups=2 && rm killed/manifest
for rank in 0 1 2 3; do
    mv killed/rank-00000$rank.syn killed/rank-00000$rank.syn.part
    truncate -s -150 killed/rank-00000$rank.syn.part
done
mkdir -p broken_experiment && cp -r experiment/run-0001 experiment/run-0002 broken_experiment/
rm broken_experiment/run-0002/rank-*
