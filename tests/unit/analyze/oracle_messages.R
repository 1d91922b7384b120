#!/usr/bin/env Rscript
# oracle_messages.R - does `report --format json` say of messages what R says of the same trace?
#
#   syncopate export --format csv -o trace.csv TRACE
#   syncopate report --format json -o trace.json TRACE
#   Rscript tests/unit/analyze/oracle_messages.R trace.csv trace.json BOUND_NS
#
# From the CSV alone, of one run: numbers each channel's sends and receives in the order in which they were posted, lets the k-th meet
# the k-th, and finds who waited, for whom and how long, and what is left. BOUND_NS: each clock's bound but rank 0's. Prints the
# differences and "figures compared: N, differ: M"; exit status 1 where M > 0. Shares no code with the program. Needs jsonlite.
suppressPackageStartupMessages(library(jsonlite))
options(digits = 17)
arguments <- commandArgs(trailingOnly = TRUE)
bound <- as.numeric(arguments[3])
rows <- read.csv(arguments[1], stringsAsFactors = FALSE, na.strings = character(), colClasses = "character")
rows <- rows[rows$message_bits != "", ]
run <- fromJSON(arguments[2], simplifyVector = FALSE)$runs[[1]]
for (name in c("rank", "thread", "comm_rank", "comm_size", "seq", "bytes", "start_ns", "end_ns", "call_end_ns", "wait_start_ns", "flags", "peer", "tag",
               "message_bits")) rows[[name]] <- as.numeric(rows[[name]])
bit <- function(mask) bitwAnd(as.integer(rows$message_bits), as.integer(mask)) != 0
compared <- 0
differ <- 0
check <- function(what, expected, got) {
  compared <<- compared + 1
  got <- if (is.null(got)) NA else got
  same <- if (is.na(expected) || is.na(got)) is.na(expected) && is.na(got) else abs(expected - got) <= 1e-9 * abs(expected)
  if (!same) {
    differ <<- differ + 1
    cat(sprintf("%s: R %s, report %s\n", what, format(expected), format(got)))
  }
}

# ---- which meets which ---- (communicators here have all ranks in their order)
rows$receives <- bit(1)
rows$cancelled <- bit(8) | (!rows$receives & bitwAnd(as.integer(rows$flags), 2L) != 0)
rows <- rows[order(rows$rank, rows$thread, rows$seq), ]
place <- ave(rows$seq, rows$rank, rows$thread, FUN = seq_along) - 1
rows$known <- rows$seq == place & !rows$cancelled & rows$peer >= 0
rows$source <- ifelse(rows$receives, rows$peer, rows$rank)
rows$destination <- ifelse(rows$receives, rows$rank, rows$peer)
rows$channel <- paste(rows$comm, rows$source, rows$destination, rows$tag)
side <- paste(rows$channel, rows$receives)
shared <- unique(side[ave(rows$thread, side, FUN = function(x) length(unique(x))) > 1])
rows$ambiguous <- rows$known & rows$channel %in% sub(" (TRUE|FALSE)$", "", shared)
rows$key <- NA
countable <- rows$known & !rows$ambiguous
rows$key[countable] <- paste(rows$channel, ave(rows$seq, side, rows$known, FUN = seq_along))[countable]
sends <- which(countable & !rows$receives)
receives <- which(countable & rows$receives)
other <- rep(NA, nrow(rows))
other[sends] <- receives[match(rows$key[sends], rows$key[receives])]
other[receives] <- sends[match(rows$key[receives], rows$key[sends])]
met <- !is.na(other)

# ---- who waits ----
completed <- bitwAnd(as.integer(rows$flags), 1L) == 0
rows$wait_start_ns[!completed] <- rows$end_ns[!completed] <- rows$call_end_ns[!completed]
call <- paste(rows$rank, rows$thread, rows$wait_start_ns)
alone <- ave(rows$seq, call, FUN = length) == 1
lasts <- alone | bit(16) | (rows$bytes > 4096 & !bit(32))
due <- rep(-Inf, nrow(rows))
at <- met & completed & rows$receives
due[at] <- pmin(rows$start_ns[other[at]], rows$end_ns[at])
at <- met & completed & !rows$receives
posted <- rows$start_ns[other[at]]
due[at] <- ifelse(lasts[at] & posted <= rows$end_ns[at], posted, -Inf)
error <- ifelse(met & rows$rank != rows$rank[other], bound * (rows$rank != 0) + bound * (rows$rank[other] != 0), 0)
waiting <- pmin(due, rows$end_ns) - rows$wait_start_ns
waiting[!is.finite(waiting) | waiting <= error | waiting < 0] <- 0
transfer <- rows$end_ns - rows$wait_start_ns - waiting # of each message that met and was completed
owner <- ave(ifelse(met & completed, due, NA), call, FUN = function(x) if (all(is.na(x))) NA else max(x, na.rm = TRUE))
owns <- met & completed & due == owner
charged <- ifelse(owns & due > -Inf, waiting, 0)
first_of <- !duplicated(paste(call, owns)) & owns # of several that are due at once, one
charged[!first_of] <- 0
blocking <- rows$start_ns == rows$wait_start_ns & rows$call_end_ns == rows$end_ns
starting <- ifelse(blocking, 0, rows$call_end_ns - rows$start_ns)
inside <- sum((rows$end_ns - rows$wait_start_ns)[!duplicated(call)]) + sum(starting)

of <- run$messages
check("count", sum(rows$receives & !rows$cancelled), of$count)
check("bytes", sum(rows$bytes[rows$receives & !rows$cancelled]), of$bytes)
check("unmatched", sum(!met & !rows$cancelled & !rows$ambiguous), of$unmatched)
check("ambiguous", sum(rows$ambiguous), of$ambiguous)
check("cancelled", sum(rows$cancelled), of$cancelled)
check("late_sender_ns", sum(charged[rows$receives]), of$late_sender_ns)
check("late_receiver_ns", sum(charged[!rows$receives]), of$late_receiver_ns)
check("transfer_ns", inside - sum(charged), of$transfer_ns)

# ---- the table ----
size <- ifelse(rows$bytes > 0, floor(log2(rows$bytes)) + 1, 0)
row <- paste(rows$op, rows$site, ifelse(rows$receives, "receive", "send"), size)
check("rows", length(unique(row)), length(of$table))
bins <- function(line) if (line$bytes > 0) floor(log2(line$bytes)) + 1 else 0
for (line in of$table) {
  name <- paste(line$op, line$site, line$side, bins(line))
  at <- row == name
  there <- at & met & completed
  values <- sort(transfer[there])
  n <- length(values)
  check(paste(name, "count"), sum(at), line$count)
  check(paste(name, "waiting"), sum(charged[at]), line$waiting_ns)
  check(paste(name, "median"), if (n > 0) quantile(values, 0.5, names = FALSE) else NA, line$median)
  if (n >= 6) {
    low <- max(1, floor((n - qnorm(0.975) * sqrt(n)) / 2))
    high <- min(n, ceiling(1 + (n + qnorm(0.975) * sqrt(n)) / 2))
    check(paste(name, "ci_low"), values[low], line$ci_low)
    check(paste(name, "ci_high"), values[high], line$ci_high)
  }
  late <- tapply(charged[at & met], rows$rank[other[at & met]], sum)
  late <- late[late > 0]
  check(paste(name, "late"), if (length(late)) as.numeric(names(late)[which.max(late)]) else NA, line$late)
}
cat(sprintf("figures compared: %d, differ: %d\n", compared, differ))
quit(status = if (differ > 0) 1 else 0)
