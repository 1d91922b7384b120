/* tests/fuzz/fuzz_reader.h - the reader of rank files as a function of arbitrary bytes.
 *
 * First byte of an input, modulo 3:
 *   0  the rest is a file as it stands
 *   1  the rest is a file; checksums are made right wherever a header is, so that mutations get
 * past them 2  the rest is a list of frames before compression: type (1 byte), elements (2), length
 * (2), payload; a file is built of them, so that mutations reach the decoders */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry. Returns 0; anything wrong is a crash, a sanitizer's report or an abort. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Valid inputs of each kind to start from. Caller frees; false past the last. */
int fuzz_seed(size_t i, uint8_t **data, size_t *size);

#endif
