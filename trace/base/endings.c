/* trace/base/endings.c - the name of each way in which a recording can end. */
#include "trace/base/records.h"

/* Numbers of signals on Linux for x86-64, aarch64 and riscv64. All signals that are not listed have
 * the name "another signal". */
#define NAMED(number, name) [number] = "signal " #number " (SIG" name ")"
static const char *const signals[65] = {
    NAMED(1, "HUP"),   NAMED(2, "INT"),   NAMED(3, "QUIT"),    NAMED(4, "ILL"),
    NAMED(5, "TRAP"),  NAMED(6, "ABRT"),  NAMED(7, "BUS"),     NAMED(8, "FPE"),
    NAMED(9, "KILL"),  NAMED(10, "USR1"), NAMED(11, "SEGV"),   NAMED(12, "USR2"),
    NAMED(13, "PIPE"), NAMED(14, "ALRM"), NAMED(15, "TERM"),   NAMED(16, "STKFLT"),
    NAMED(24, "XCPU"), NAMED(25, "XFSZ"), NAMED(26, "VTALRM"), NAMED(27, "PROF"),
    NAMED(29, "IO"),   NAMED(30, "PWR"),  NAMED(31, "SYS"),
};

const char *syn_ending_name(enum syn_ending ending)
{
    static const char *const names[] = {"unknown", "finalize", "exit",
                                        "abort",   "disabled", "killed"};
    const unsigned number = (unsigned)ending;
    if (number < sizeof names / sizeof *names)
        return names[number];
    if (!syn_ending_is_known(number))
        return names[0];
    const char *name = signals[number - SYN_ENDING_SIGNAL];
    return name ? name : "another signal";
}
