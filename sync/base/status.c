/* sync/base/status.c - texts of status codes. */
#include "sync/base/status.h"

static const char *const texts[] = {
    [-SYN_OK] = "no error",
    [-SYN_EINVAL] = "invalid argument",
    [-SYN_ENOMEM] = "out of memory",
    [-SYN_ETRANSPORT] = "a message between two ranks failed",
    [-SYN_EIO] = "input or output failed",
    [-SYN_ENOTTRACE] = "not a syncopate trace",
    [-SYN_EVERSION] = "trace format version is newer than this program",
    [-SYN_EDAMAGED] = "file is damaged",
    [-SYN_ETRUNCATED] = "file is truncated",
    [-SYN_EMISSING] = "missing",
    [-SYN_EMIXED] = "files of different runs in one directory",
    [-SYN_ENOTSUP] = "not supported here",
    [-SYN_EEND] = "no more elements",
};

const char *syn_status_text(int status)
{
    const int count = (int)(sizeof texts / sizeof texts[0]);
    if (status > 0 || status <= -count || !texts[-status])
        return "unknown error";
    return texts[-status];
}
