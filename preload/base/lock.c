/* preload/base/lock.c - see lock.h. */
#include "preload/base/lock.h"

__thread bool syn_cancel_is_held __attribute__((tls_model("initial-exec")));
