/* sync/base/status.h - status codes of all folders. A function that can fail returns 0 (SYN_OK) or
 * one of these negative values, and stores its results through parameters. */
#ifndef SYN_STATUS_H
#define SYN_STATUS_H

enum syn_status {
    SYN_OK = 0,
    SYN_EINVAL = -1,     /* an argument outside its documented range */
    SYN_ENOMEM = -2,     /* no memory */
    SYN_ETRANSPORT = -3, /* a message between two ranks failed */
    SYN_EIO = -4,        /* the system refused to open, read or write; errno says why */
    SYN_ENOTTRACE = -5,  /* the file or directory is not a trace */
    SYN_EVERSION = -6,   /* written in a format version that this build cannot read */
    SYN_EDAMAGED = -7,   /* a checksum or a cross-check fails */
    SYN_ETRUNCATED = -8, /* the file ends before its end frame */
    SYN_EMISSING = -9,   /* something is not there (a rank's file, a symbol) */
    SYN_EMIXED = -10,    /* files of different runs in one directory */
    SYN_ENOTSUP = -11,   /* not possible on this machine or with this MPI */
    SYN_EEND = -12       /* end of an iteration; not an error */
};

/* Returns a short lower-case text for a status, e.g. "file is truncated". Never NULL; "unknown
 * error" for an unknown value. */
const char *syn_status_text(int status);

/* Makes the next of several steps, unless one before it has failed: `status` is that of the first
 * that failed. */
#define SYN_STEP(status, call) ((status) = (status) == SYN_OK ? (call) : (status))

#endif
