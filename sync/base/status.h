/* sync/base/status.h - the one enum of what can go wrong, for all folders.
 * A function that can fail returns 0 (SYN_OK) or one of these negative values
 * and hands its results out through parameters. */
#ifndef SYN_STATUS_H
#define SYN_STATUS_H

enum syn_status {
    SYN_OK = 0,
    SYN_EINVAL = -1,     /* an argument outside its documented range */
    SYN_ENOMEM = -2,     /* no memory */
    SYN_ETRANSPORT = -3, /* a message between two ranks failed */
    SYN_EIO = -4,        /* the system refused to open, read or write; errno says why */
    SYN_ENOTTRACE = -5,  /* the file or directory is not a trace of ours */
    SYN_EVERSION = -6,   /* written by a format version that this build cannot read */
    SYN_EDAMAGED = -7,   /* a checksum or an inner consistency does not hold */
    SYN_ETRUNCATED = -8, /* the file ends before its end frame */
    SYN_EMISSING = -9,   /* something that should be there is not (a rank's file, a symbol) */
    SYN_EMIXED = -10,    /* files of different runs in one directory */
    SYN_ENOTSUP = -11,   /* not possible on this machine or with this MPI */
    SYN_EEND = -12       /* no more elements (of an iteration; not a fault) */
};

/* A short lower-case English text for a status, e.g. "file is truncated".
 * Never NULL; an unknown value gives "unknown error". */
const char *syn_status_text(int status);

#endif
