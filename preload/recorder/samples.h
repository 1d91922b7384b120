/* preload/recorder/samples.h - samples: the kernel's counts of a thread (docs/injection.md,
 * "Samples"). They are its processor time, context switches, page faults and run delay.
 *
 * The thread itself takes a sample after a recorded call, outside the timed interval. There is no
 * timer, no signal, no thread and no open descriptor. There is at most one sample in 10 ms, and
 * samples take at most 1/2,000 of a thread's time. */
#ifndef SYN_SAMPLES_H
#define SYN_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/recorder/recorder.h"

#define SYN_SAMPLE_INTERVAL_NS 10000000

/* Call this before the recorder starts. */
void syn_samples_start(bool on);
/* Take the first sample of the calling thread, with run delay, at the end of MPI_Init. Keeps
 * errno. */
void syn_samples_begin(void);
/* Make a sample of the calling thread in *out, an entry of its buffer, because a block ends. It
 * never reads the run delay: changing blocks takes long enough. Returns false if sampling is off.
 * Keeps errno. */
bool syn_sample_make(struct syn_thread *self, struct syn_event *out);
/* Number of steps that lead to a reading of the run delay if calls are quick. The sample after them
 * has it. */
#define SYN_RUN_DELAY_STEPS 4
/* A sample is due: take it, or a step towards the run delay, and set the time of the next. Keeps
 * errno. */
void syn_sample_take(struct syn_thread *self);
/* The thread ends: take a last sample, with run delay if the last reading is long ago. The thread
 * that takes its state over continues its counts; the time between the two counts as processor
 * time, since no thread waited. Both keep errno. */
void syn_samples_leave(struct syn_thread *self);
void syn_samples_take_over(struct syn_thread *self);
/* Take the last sample, with run delay, of the thread that ends the recording. Keeps errno. */
void syn_samples_stop(void);

/* Called after a call that ended at `end_ticks`; its event is written. */
static inline void syn_sample_after(struct syn_thread *self, int64_t end_ticks)
{
    if (__builtin_expect(end_ticks >= self->sample_due_ticks, 0))
        syn_sample_take(self);
}

/* Number of samples taken. syn_samples_lacking writes to text [bytes] which counts this machine
 * lacks, and why. */
uint64_t syn_sample_count(void);
void syn_samples_lacking(char *text, size_t bytes);

#endif
