#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

void fuzz_require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}
