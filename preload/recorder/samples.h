/* preload/recorder/samples.h - the kernel's counts of a thread, taken now and then between two of
 * its calls (docs/injection.md, "Samples"): its processor time, how often it was switched out, page
 * faults.
 *
 * A sample is taken after a recorded call, outside its timed interval, by the thread itself: no
 * timer, no signal, no thread of ours, no descriptor that stays open. There is at most one in 10
 * ms. The more a sample takes, the fewer there are: 1/2,000 of a thread's time at most. */
#ifndef SYN_SAMPLES_H
#define SYN_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/recorder/recorder.h"

#define SYN_SAMPLE_INTERVAL_NS 10000000

/* Before the recorder starts. */
void syn_samples_start(bool on);
/* Takes the first sample of the thread that started, at the end of MPI_Init, with the run delay.
 * Keeps errno. */
void syn_samples_begin(void);
/* A sample of the calling thread into *out, an entry of its buffer, where a block ends: that takes
 * long already, and the run delay is not asked for. Returns false while there are none to be taken.
 * Keeps errno. */
bool syn_sample_make(struct syn_thread *self, struct syn_event *out);
/* Number of steps that lead to the run delay if calls are quick; the sample after them has it. */
#define SYN_RUN_DELAY_WAY 4
/* One is due: take it or a step towards it, and say when the next one is. Keeps errno. */
void syn_sample_take(struct syn_thread *self);
/* The thread ends, and takes a last sample with the run delay if it asked for it long ago. Another
 * one takes its state over: its counts go on from those of the one before, and the time in between
 * counts as processor time, for no thread was there to run. errno is kept. */
void syn_samples_leave(struct syn_thread *self);
void syn_samples_take_over(struct syn_thread *self);
/* Takes the last sample of the thread that ends the recording, with the run delay. Keeps errno. */
void syn_samples_stop(void);

/* After a call that ended at `end_ticks`, its event written. */
static inline void syn_sample_after(struct syn_thread *self, int64_t end_ticks)
{
    if (__builtin_expect(end_ticks >= self->sample_due_ticks, 0))
        syn_sample_take(self);
}

/* How many were taken; and into text [bytes] what they lack on this machine and why, "" if
 * nothing. */
uint64_t syn_sample_count(void);
void syn_samples_lacking(char *text, size_t bytes);

#endif
