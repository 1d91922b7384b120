/* tests/fuzz/fuzz.h - shared code of the fuzz targets. An input is a list of parts. Files with
 * right checksums are built from them, so that mutations get past the checksums.
 *
 *   options (1 byte: which command), size (1 byte: how many ranks the headers claim), then parts:
 *   kind (1 byte, enum fuzz_kind), place (1 byte, FUZZ_PLACE_*), length (2 bytes), so many bytes
 *
 * A part goes to the end of the file that its place names. Other input is ignored, never an
 * error. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

enum fuzz_kind {
    FUZZ_FRAME,    /* type (1), elements (2), then a payload before compression */
    FUZZ_EVENTS,   /* events of FUZZ_EVENT_BYTES each, encoded as the writer does */
    FUZZ_BYTES,    /* as they are */
    FUZZ_REPAIRED, /* as they are, but for checksums: made right wherever a header is */
    FUZZ_MANIFEST, /* the lines before the checksum's */
    FUZZ_SYMBOLS,  /* the same of the file of labels */
    FUZZ_KIND_COUNT
};

#define FUZZ_PLACE_RANK    0x03u /* whose file */
#define FUZZ_PLACE_PART    0x04u /* its unfinished one */
#define FUZZ_PLACE_RUN     0x08u /* of the second run: the directory is an experiment */
#define FUZZ_PLACE_FOREIGN 0x10u /* with another run's id */
#define FUZZ_PLACE_TICKS   0x20u /* FRAME, EVENTS: in local ticks */
#define FUZZ_PLACE_THREAD  0x40u /* FRAME, EVENTS: of thread 1 */
#define FUZZ_PLACE_LONG    0x80u /* FRAME: the last byte of the payload is repeated 65536 times */

#define FUZZ_HEAD_BYTES  2
#define FUZZ_PART_BYTES  4
#define FUZZ_EVENT_BYTES 16
#define FUZZ_RANKS       4
#define FUZZ_RUNS        2

struct fuzz_part {
    uint8_t kind; /* < FUZZ_KIND_COUNT */
    uint8_t place;
    const uint8_t *data;
    size_t bytes;
};

/* The part at *at, which moves past it; a length that reaches past the end is cut. False at the
 * end. */
bool fuzz_next_part(const uint8_t **at, const uint8_t *end, struct fuzz_part *out);
void fuzz_put_part(struct syn_bytes *out, uint8_t kind, uint8_t place, const void *data,
                   size_t bytes);

struct fuzz_file {
    struct syn_bytes content;
    bool exists;
    uint32_t frame_count;
    uint64_t event_count;
};

struct fuzz_run {
    bool exists;
    struct fuzz_file rank[FUZZ_RANKS][2]; /* [1]: the unfinished one */
    struct fuzz_file manifest, symbols;
};

/* Defined by each target: all parts go to the file of rank 0 of the first run; only these make
 * sense as seeds too. */
extern const bool fuzz_one_file;

/* Memory is kept from one input to the next. */
struct fuzz_trace {
    uint8_t options;
    int32_t size;
    size_t bytes; /* of all files */
    struct fuzz_run run[FUZZ_RUNS];
};

void fuzz_build(const uint8_t *data, size_t bytes, struct fuzz_trace *trace);

/* Valid inputs to start from. Caller frees; false past the last. */
bool fuzz_seed(size_t i, uint8_t **data, size_t *bytes);

/* Abort with a line that says what does not hold. */
void fuzz_require(bool holds, const char *what);

/* The most memory that was allocated at once since fuzz_memory_begin, in bytes; 0 where no
 * sanitizer counts. */
void fuzz_memory_begin(void);
size_t fuzz_memory_peak(void);

/* libFuzzer's entries. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t capacity, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_bytes, const uint8_t *other,
                                 size_t other_bytes, uint8_t *out, size_t capacity, unsigned seed);
/* Defined by libFuzzer, or by fuzz_driver.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t capacity);

#endif
