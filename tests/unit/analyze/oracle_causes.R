#!/usr/bin/env Rscript
# oracle_causes.R - does `report --format json` say who pays for whose delay as R has it?
#
#   syncopate export --format csv -o trace.csv TRACE
#   syncopate report --format json -o trace.json TRACE
#   Rscript tests/unit/analyze/oracle_causes.R trace.csv trace.json BOUND_NS
#
# From the CSV alone, of one run: tiles the time of each location (a thread of a rank), finds every instance's window, divides its
# waiting, passes on what is itself waiting, and walks the critical path backward, each in the plainest way (quadratic).
# BOUND_NS: the clocks' bound on a difference; "csv": from the columns of `export --bounds`, as long as no clock's bound
# changes between the starts of an instance. Prints the differences and "causes compared: N,
# differ: M"; exit status 1 where M > 0. Shares no code with the program. Needs jsonlite.
suppressPackageStartupMessages(library(jsonlite))
options(digits = 17)
arguments <- commandArgs(trailingOnly = TRUE)
bound <- if (arguments[3] == "csv") NA else as.numeric(arguments[3])
rows <- read.csv(arguments[1], stringsAsFactors = FALSE, na.strings = character(), colClasses = "character")
report <- fromJSON(arguments[2], simplifyVector = FALSE)
run <- report$runs[[1]]
report_groups <- report$groups
for (name in c("rank", "seq", "comm_size", "comm_rank", "start_ns", "end_ns", "call_end_ns", "wait_start_ns", "flags")) rows[[name]] <- as.numeric(rows[[name]])
number <- function(x) { x[x == ""] <- "0"; as.numeric(x) }
rows$messages <- number(rows$messages_ns)
rows$off <- number(rows$off_cpu_ns)
rows$wait_messages <- number(rows$wait_messages_ns)
rows$wait_off <- number(rows$wait_off_cpu_ns)
# A nonblocking operation has two calls: from its start to its return, and the one that completes it, if any did.
NO_COMPLETION <- 1L # flags
PERTURBED <- 8L     # the profiler paused: no figure of its group rests on it
rows$nonblocking <- grepl("^MPI_I[a-z]", rows$op)
rows$completed <- rows$nonblocking & bitwAnd(as.integer(rows$flags), NO_COMPLETION) == 0
rows$wait_start_ns[rows$nonblocking & !rows$completed] <- rows$end_ns[rows$nonblocking & !rows$completed]
blocking <- !rows$nonblocking
rows$call_end_ns[blocking] <- rows$wait_start_ns[blocking] <- rows$start_ns[blocking]
# Locations, by number: a rank's thread each.
rows$thread <- as.numeric(rows$thread)
threads <- unique(rows[order(rows$rank, rows$thread), c("rank", "thread")])
rows$location <- match(paste(rows$rank, rows$thread), paste(threads$rank, threads$thread))
threaded <- threads$rank[duplicated(threads$rank)]
has_threads <- function(at) any(rows$rank[at] %in% threaded)
compared <- 0
differ <- 0
check <- function(what, expected, got, tolerance = 0) {
  compared <<- compared + 1
  if (is.null(got) || is.na(got) || abs(expected - got) > tolerance) {
    differ <<- differ + 1
    cat(sprintf("%s: R %.0f, report %s\n", what, expected, if (is.null(got)) "none" else format(got)))
  }
}
ranks <- sort(unique(rows$rank))
begin <- run$begin_ns # the run: from MPI_Init on,
final <- begin + run$duration_ns # to MPI_Finalize

# ---- instances ----
rows$instance <- paste(rows$comm, rows$seq)
instances <- lapply(split(seq_len(nrow(rows)), rows$instance), function(at) {
  at <- at[order(rows$comm_rank[at])]
  complete <- length(at) == rows$comm_size[at[1]] && length(unique(rows$op[at])) == 1
  last <- at[which.max(rows$start_ns[at])]
  due <- rows$start_ns[last]
  slack <- if (length(at) == 1) 0 else if (is.na(bound)) 2 * max(as.numeric(rows$start_bound_ns[at])) else bound
  list(at = at, complete = complete, last = last, cause = last, due = due, T = due, slack = slack,
       sync = complete && length(at) > 1 && min(rows$end_ns[at]) >= due - slack)
})
from_root <- outer(c("MPI_", "MPI_I"), c("bcast", "scatter", "scatterv"), paste0)
for (k in seq_along(instances)) {
  i <- instances[[k]]
  if (!i$complete || i$sync || !(tolower(rows$op[i$at[1]]) %in% tolower(from_root)) || rows$root[i$at[1]] == "") next
  i$cause <- i$at[as.numeric(rows$root[i$at[1]]) + 1]
  i$due <- rows$start_ns[i$cause]
  instances[[k]] <- i
}
# Whoever waited in an instance went on no earlier than this: so what is passed on goes to an earlier one.
instances <- instances[order(sapply(instances, function(i) i$due))]
instance_of <- integer(nrow(rows))
for (k in seq_along(instances)) instance_of[instances[[k]]$at] <- k

# ---- each rank's time, end to end ----
waited <- list() # which location waited for which nonblocking instance
tile <- function(r) {
  now <- begin
  before <- "(outside)"
  out <- list()
  add <- function(ns, from, to, kind, node, call) { # call: the row that it belongs to, 0: none
    if (ns <= 0) return()
    out[[length(out) + 1]] <<- list(begin = now, end = now + ns, from = from, to = to, kind = kind, node = node, call = call)
    now <<- now + ns
  }
  segment_to <- function(site, to, messages, off, call) {
    segment <- to - now
    messages <- max(0, min(messages, segment))
    off <- max(0, min(off, segment - messages))
    add(segment - messages - off, before, site, "computing", 0, call)
    add(messages, before, site, "messages", 0, call)
    add(off, before, site, "off_cpu", 0, call)
  }
  # The call that completes some of what is on its way waits for one after the other, as they become due.
  open <- integer(0)
  complete_first <- function() {
    begin <- min(rows$wait_start_ns[open])
    of <- open[rows$wait_start_ns[open] == begin]
    open <<- setdiff(open, of)
    due <- sapply(instances[instance_of[of]], function(i) if (i$complete) i$due else -Inf)
    slack <- sapply(instances[instance_of[of]], function(i) i$slack)
    end <- max(rows$end_ns[of])
    site <- paste(rows$site[of], "(completion)")[order(due)]
    slack <- slack[order(due)]
    of <- of[order(due)]
    segment_to(site[1], begin, max(rows$wait_messages[of]), max(rows$wait_off[of]), of[1])
    due <- sort(due)
    for (k in seq_along(of)) {
      if (due[k] > now && end >= due[k]) waited[[length(waited) + 1]] <<- c(location = r, instance = instance_of[of[k]])
      owed <- is.finite(due[k]) && end >= due[k] - slack[k]
      add(min(due[k], end) - now, site[k], site[k], "waiting", if (owed) instance_of[of[k]] else 0, of[k])
    }
    add(end - now, site[length(of)], site[length(of)], "operation", 0, of[length(of)])
    before <<- site[length(of)]
  }
  for (j in which(rows$location == r)) {
    while (length(open) > 0 && min(rows$wait_start_ns[open]) <= rows$start_ns[j]) complete_first()
    site <- rows$site[j]
    segment_to(site, rows$start_ns[j], rows$messages[j], rows$off[j], j)
    if (rows$nonblocking[j]) {
      add(rows$call_end_ns[j] - now, site, site, "operation", 0, j)
      if (rows$completed[j]) open <- c(open, j)
    } else {
      i <- instances[[instance_of[j]]]
      due <- if (i$complete) i$due else -Inf
      owed <- i$complete && j != i$cause && rows$end_ns[j] >= due - i$slack
      add(min(due, rows$end_ns[j]) - now, site, site, "waiting", if (owed) instance_of[j] else 0, j)
      add(rows$end_ns[j] - now, site, site, "operation", 0, j)
    }
    before <- site
  }
  while (length(open) > 0) complete_first()
  add(final - now - run$finalize_ns[[r]], before, "(outside)", "computing", 0, 0)
  add(final - now, before, "(outside)", "messages", 0, 0) # in MPI_Finalize
  column <- function(name) unlist(lapply(out, `[[`, name))
  data.frame(sapply(names(out[[1]]), column, simplify = FALSE)) # (one a piece, put together, would be most of the work)
}
locations <- seq_len(nrow(threads))
tiles <- lapply(locations, tile)
waited <- do.call(rbind, waited)
has_waited <- function(r, k) !is.null(waited) && any(waited[, "location"] == r & waited[, "instance"] == k)
for (r in locations) {
  t <- tiles[[r]]
  check(paste("location", r, "tiled"), final - begin, sum(t$end - t$begin))
  stopifnot(all(t$begin[-1] == t$end[-nrow(t)]))
}

# ---- windows and debts ----
window <- function(r, from, to) {
  t <- tiles[[r]]
  ns <- pmin(t$end, to) - pmax(t$begin, from)
  t <- cbind(t, ns = ns)[ns > 0, ]
  key <- ifelse(t$node > 0, paste("node", t$node), paste(t$from, t$to, t$kind, sep = "|"))
  if (nrow(t) == 0) numeric(0) else tapply(t$ns, key, sum)
}
# The instant at which all were together last. Calls started while a nonblocking instance is on its way may be late for the same
# reason as that: of each group of ranks the last one that every member has completed counts, and the earliest of theirs.
# Where a rank has several threads, a communicator stands for itself alone, and what another thread completed does not count.
ranks_of <- function(e) paste(sort(rows$rank[e$at]), collapse = ",")
# Instances that all members of i took part in, with the rows of these members in the order of i's: the same for all i of these members.
shared <- list()
instances_with <- function(i) {
  key <- paste(c(rows$rank[i$at], if (has_threads(i$at)) rows$comm[i$at[1]]), collapse = " ")
  if (is.null(shared[[key]]))
    shared[[key]] <<- lapply(Filter(function(e) e$sync && all(rows$rank[i$at] %in% rows$rank[e$at]) &&
                                      (!has_threads(i$at) || rows$comm[i$at[1]] == rows$comm[e$at[1]]), instances),
                             function(e) list(T = e$T, nonblocking = rows$nonblocking[e$at[1]], ranks = ranks_of(e),
                                              mine = e$at[match(rows$rank[i$at], rows$rank[e$at])]))
  shared[[key]]
}
begin_of_window <- function(i) {
  start <- rows$start_ns[i$at]
  of_all <- instances_with(i)
  is_blocking <- vapply(of_all, function(e) !e$nonblocking, TRUE)
  blocking <- Filter(function(e) any(rows$start_ns[e$mine] < start), of_all[which(is_blocking)])
  others <- of_all[which(!is_blocking)]
  completed <- function(m, same) # the last one that this member has
    max(-Inf, unlist(lapply(same, function(e)
    if (rows$completed[e$mine[m]] && rows$location[e$mine[m]] == rows$location[i$at[m]] && rows$wait_start_ns[e$mine[m]] <= start[m]) e$T)))
  groups <- if (length(others)) split(others, sapply(others, function(e) e$ranks)) else list()
  max(-Inf, unlist(lapply(blocking, function(e) e$T)),
      unlist(lapply(groups, function(same) min(sapply(seq_along(start), completed, same)))))
}
own_of <- function(w) sub("[|](computing|off_cpu)$", "|own", names(w))
unknown <- 0
waiting <- 0
debt <- numeric(length(instances))
debt_bound <- numeric(length(instances)) # what the clocks may have added to it
weights <- vector("list", length(instances))
off <- vector("list", length(instances))
for (k in seq_along(instances)) {
  i <- instances[[k]]
  if (!i$complete) next
  start <- rows$start_ns[i$at]
  end <- rows$end_ns[i$at]
  until <- function(at) pmax(0, pmin(rows$call_end_ns[i$at], at) - start) +
                        pmax(0, pmin(end, at) - rows$wait_start_ns[i$at])
  wait <- until(i$T)
  owed <- wait
  if (i$cause != i$last) owed <- until(i$due)
  else owed[end < i$T - i$slack] <- 0
  owed[i$at == i$cause] <- 0
  waiting <- waiting + sum(wait)
  unknown <- unknown + sum(wait - owed)
  sure <- owed > i$slack
  unknown <- unknown + sum(owed[!sure])
  from <- begin_of_window(i)
  if (from == -Inf) {
    unknown <- unknown + sum(owed[sure])
    next
  }
  if (!any(sure)) next
  others <- Reduce(function(a, b) {
    keys <- union(names(a), names(b))
    setNames(ifelse(is.na(a[keys]), 0, a[keys]) + ifelse(is.na(b[keys]), 0, b[keys]), keys)
  }, lapply(which(sure), function(m) window(rows$location[i$at[m]], from, start[m])))
  mine <- window(rows$location[i$cause], from, rows$start_ns[i$cause])
  if (length(mine) == 0) mine <- c(nothing = 0)
  other <- others[names(mine)]
  other[is.na(other)] <- 0
  longer <- function(mine, other) ceiling(pmax(0, as.numeric(mine) * sum(sure) - as.numeric(other)) / sum(sure))
  # own time is one: what was computed and what was off the processor, of which the latter is told. The others may have
  # been off it where this rank was not.
  own <- own_of(mine)
  own_time <- function(w) tapply(as.numeric(w), own_of(w), sum)
  together <- own_time(mine)
  of_others <- if (length(others)) own_time(others)[names(together)] else together * NA
  excess <- longer(together, ifelse(is.na(of_others), 0, of_others))
  names(excess) <- names(together)
  off[[k]] <- setNames(pmin(longer(mine, other), excess[own]), own)[endsWith(names(mine), "|off_cpu")]
  debt[k] <- sum(owed[sure])
  debt_bound[k] <- sum(sure) * i$slack
  weights[[k]] <- excess[excess > 0]
}
paid <- list()
paid_off <- list()
paid_bound <- list()
plus <- function(sums, name, ns) {
  sums[[name]] <- (if (is.null(sums[[name]])) 0 else sums[[name]]) + ns
  sums
}
for (k in rev(seq_along(instances))) {
  if (debt[k] == 0) next
  w <- weights[[k]]
  if (length(w) == 0) {
    unknown <- unknown + debt[k]
    next
  }
  for (key in names(w)) {
    share <- debt[k] * w[[key]] / sum(w)
    share_bound <- debt_bound[k] * w[[key]] / sum(w)
    if (startsWith(key, "node ")) {
      to <- as.numeric(substring(key, 6))
      debt[to] <- debt[to] + share
      debt_bound[to] <- debt_bound[to] + share_bound
    } else if (endsWith(key, "|waiting")) {
      unknown <- unknown + share
    } else {
      name <- paste(rows$rank[instances[[k]]$cause], key, sep = "|")
      paid <- plus(paid, name, share)
      paid_bound <- plus(paid_bound, name, share_bound)
      if (key %in% names(off[[k]])) paid_off <- plus(paid_off, name, share * off[[k]][[key]] / w[[key]])
    }
  }
}

# ---- keys of --by that calls have: efficiencies are by these ----
# Communicators that were made alike are one to the report, which calls them "split * of ..., 2 ranks".
alike <- function(comm, size) {
  together <- paste0(gsub("[0-9]+ of ", "* of ", sub(" @[0-9]+$", "", comm)), ", ", size, " ranks")
  if (any(sapply(report_groups, function(g) identical(g$comm, comm)))) comm else together
}
by <- unlist(report$by)
if (setequal(by, c("op", "site", "comm", "bytes"))) by <- c("op", "site")
call_keys <- intersect(c("op", "site", "comm", "bytes", "root", "phase"), by)
rank_keys <- intersect(c("rank", "node"), by)
if (length(call_keys) == 0 && length(rank_keys) == 0 && !("run" %in% by)) call_keys <- "phase"
or_null <- function(x) ifelse(x == "", "(null)", x)
key_columns <- list(
  op = rows$op, site = or_null(rows$site), phase = or_null(rows$phase),
  comm = if ("comm" %in% call_keys) mapply(alike, rows$comm, rows$comm_size) else rows$comm,
  bytes = ifelse(grepl("[vw]$", tolower(sub("_init$", "", rows$op))) & !grepl("MPI_Comm|MPI_File|MPI_Win", rows$op), "(null)", rows$bytes),
  root = ifelse(rows$root == "" | rows$root == "-1", "(null)", rows$root))
# The key of a call, or of none behind the last one.
key_of_call <- c("(outside)", if (length(call_keys)) do.call(paste, c(unname(key_columns[call_keys]), sep = "|")) else rep("", nrow(rows)))
if (length(call_keys) == 0) key_of_call[1] <- ""
transfer <- list() # of the critical path, by key

# ---- the critical path, backward ----
path <- list()
left <- sapply(run$finalize_ns, function(ns) if (ns > 0) final - ns else begin)
if (any(left > begin)) left[left == begin] <- final
r <- which.max(sapply(locations, function(r) max(left[r], rows$end_ns[rows$location == r])))
t <- final
passed <- -1
while (t > begin) {
  best <- 0
  for (k in seq_along(instances)) {
    i <- instances[[k]]
    if (k == passed || !i$complete || length(i$at) < 2 || i$due > t || (best > 0 && i$due <= instances[[best]]$due)) next
    j <- i$at[rows$location[i$at] == r]
    if (length(j) == 0) next
    turns <- if (rows$nonblocking[j]) has_waited(r, k) else
      i$sync || j == i$cause || (rows$start_ns[j] < i$due && rows$end_ns[j] >= i$due)
    if (turns) best <- k
  }
  back <- if (best > 0) instances[[best]]$due else begin
  for (key in names(w <- { p <- tiles[[r]]
                           ns <- pmin(p$end, t) - pmax(p$begin, back)
                           keep <- ns > 0
                           tapply(ns[keep], paste(p$from, p$to, p$kind, sep = "|")[keep], sum) })) {
    name <- paste(threads$rank[r], key, sep = "|")
    path[[name]] <- (if (is.null(path[[name]])) 0 else path[[name]]) + w[[key]]
  }
  p <- tiles[[r]]
  p$ns <- pmin(p$end, t) - pmax(p$begin, back)
  p <- p[p$ns > 0 & p$kind %in% c("messages", "operation", "waiting"), ]
  for (q in seq_len(nrow(p))) transfer <- plus(transfer, paste0("of ", key_of_call[p$call[q] + 1]), p$ns[q])
  if (best > 0) r <- rows$location[instances[[best]]$cause]
  passed <- best
  t <- back
}

# ---- comparing ----
text <- function(x) if (is.null(x)) "(outside)" else x
check("length of the critical path", final - begin, run$critical_path$total_ns)
check("pieces of the critical path", final - begin, sum(sapply(run$critical_path$pieces, function(p) p$ns)))
got <- list()
for (p in run$critical_path$pieces) {
  name <- paste(p$rank, text(p$from), text(p$to), p$kind, sep = "|")
  got[[name]] <- (if (is.null(got[[name]])) 0 else got[[name]]) + p$ns
}
for (name in union(names(path), names(got)))
  check(paste("path", name), if (is.null(path[[name]])) 0 else path[[name]], if (is.null(got[[name]])) 0 else got[[name]])
known <- Filter(function(c) c$kind != "unknown", run$causes)
rest <- Filter(function(c) c$kind == "unknown", run$causes)
slack <- length(instances) + 1 # a nanosecond of rounding an instance
taken <- character(0)
group_of <- function(kind) if (kind %in% c("computing", "off_cpu", "blocked")) "own" else kind
label_of <- function(c) paste(text(c$from), text(c$to), group_of(c$kind), sep = "|")
expected_of <- function(c, ranks, paid) sum(sapply(ranks, function(r) {
  name <- paste(r, label_of(c), sep = "|")
  taken <<- c(taken, name)
  if (is.null(paid[[name]])) 0 else paid[[name]]
}))
# A rank that is named causes 60 % of the waiting (or of that for the larger excesses); where ranks are said to be seen, in so many passes.
check_naming <- function(c, name) {
  if (c$all_ranks) return(check(paste("nobody is named for", name), 1, as.numeric(c$naming %in% c("open", "differ"))))
  check(paste("somebody is named for", name), 1, as.numeric(c$naming %in% c("seen", "shown")))
  check(paste("passes of", name), 1, as.numeric(c$seen_passes <= c$all_passes && (c$naming != "seen" || c$seen_passes >= 0.6 * c$all_passes)))
}
check_cause <- function(c, ranks, name) {
  check(paste("cause", name), expected_of(c, ranks, paid), c$waiting_ns, slack)
  check(paste("bound of", name), expected_of(c, ranks, paid_bound), c$bound_ns, slack)
  if (group_of(c$kind) != "own") return()
  off <- expected_of(c, ranks, paid_off)
  check(paste("off_cpu of", name), off, c$off_cpu_waiting_ns, slack)
  # The certain part decides if it is more than half; what the kernel counted beyond that is not in the CSV.
  if (c$off_cpu_waiting_ns > c$waiting_ns / 2) check(paste("is off the processor", name), 1, as.numeric(c$kind != "computing"))
  off <- if (is.null(c$ready_share)) c$off_cpu_waiting_ns / c$waiting_ns else c$ready_share + c$blocked_share
  check(paste("kind of", name), as.numeric(off > 0.5), as.numeric(c$kind != "computing"))
  check_naming(c, name)
}
for (c in Filter(function(c) !c$all_ranks, known))
  check_cause(c, unlist(c$ranks), paste(label_of(c), "of", paste(unlist(c$ranks), collapse = ",")))
for (c in Filter(function(c) c$all_ranks, known)) {
  named <- unlist(lapply(Filter(function(o) !o$all_ranks && label_of(o) == label_of(c), known), function(o) o$ranks))
  check_cause(c, setdiff(ranks, named), label_of(c))
}
for (name in setdiff(names(paid), taken)) if (paid[[name]] > slack) check(paste("cause", name), paid[[name]], 0)
check("unknown", unknown, if (length(rest)) rest[[1]]$waiting_ns else 0, slack)
check("all waiting", waiting, sum(unlist(lapply(run$causes, function(c) c$waiting_ns))))
check("waiting of the ranks", waiting, sum(sapply(run$rank, function(r) r$waiting_ns)))
# ---- efficiencies ----
node_of <- function(r) run$rank[[which(sapply(run$rank, function(x) x$rank == r))]]$node
name_of_row <- function(row) {
  of_call <- sapply(call_keys, function(k) if (is.null(row[[k]])) "(null)" else as.character(row[[k]]))
  paste(c("calls", if (row$after_last_call) "(outside)" else paste(of_call, collapse = "|"), unlist(row[rank_keys])), collapse = " of ")
}
told <- setNames(run$efficiencies, sapply(run$efficiencies, name_of_row))
expected_rows <- character(0)
check_efficiency <- function(name, ranks, all) { # all: of the part, time_ns, useful_ns and transfer of each rank
  row <- told[[name]]
  expected_rows <<- c(expected_rows, name)
  mine <- names(all$time) %in% ranks
  longest <- max(all$time)
  most <- max(all$useful)
  check(paste("ranks of", name), sum(mine), if (is.null(row)) NULL else row$ranks)
  check(paste("time of", name), mean(all$time[mine]), row$time_ns, 1)
  check(paste("longest of", name), longest, row$longest_ns, 1)
  ideal <- max(longest - all$transfer, min(most, longest))
  if (longest <= 0 || most <= 0 || ideal <= 0) return(check(paste("no efficiency of", name), 1, as.numeric(is.null(row$parallel))))
  millionths <- function(what, expected) check(paste(what, "of", name), 1e6 * expected, 1e6 * row[[what]], 0.001)
  balance <- mean(all$useful[mine]) / most
  millionths("load_balance", balance)
  millionths("communication", min(1, most / longest))
  millionths("parallel", balance * min(1, most / longest))
  millionths("transfer", ideal / longest)
  millionths("waiting", min(1, most / longest) / (ideal / longest))
}
for (key in unique(c(key_of_call))) {
  of_rank <- function(kinds) tapply(sapply(tiles, function(t) {
    at <- key_of_call[t$call + 1] == key & t$kind %in% kinds
    sum(t$end[at] - t$begin[at])
  }), threads$rank, sum)
  all <- list(time = of_rank(c("computing", "off_cpu", "messages", "waiting", "operation")), useful = of_rank(c("computing", "off_cpu")))
  if (sum(all$time) == 0 && key == "(outside)" && is.null(told[["calls of (outside)"]])) next # nobody is there
  if ("comm" %in% call_keys && key != "(outside)") { # who calls on it
    there <- all$time > 0
    if (!any(there)) next
    all <- lapply(all, function(x) x[there])
  }
  all$transfer <- if (is.null(transfer[[paste0("of ", key)]])) 0 else transfer[[paste0("of ", key)]]
  everyone <- as.numeric(names(all$time))
  who <- if ("rank" %in% rank_keys) everyone else if ("node" %in% rank_keys) sapply(everyone, node_of) else rep(NA, length(everyone))
  for (one in split(everyone, if (length(rank_keys)) who else rep(1, length(everyone)))) {
    name <- c("calls", key, if ("rank" %in% rank_keys) one[1], if ("node" %in% rank_keys) node_of(one[1]))
    check_efficiency(paste(name, collapse = " of "), one, all)
  }
}
check("rows of efficiencies", length(unique(expected_rows)), length(told))
# ---- as if every operation were as fast as its fastest tenth ----
of_groups <- all(c("op", "site") %in% unlist(report$by)) && !any(c("rank", "node") %in% unlist(report$by))
groups <- if (!of_groups) list() else lapply(split(seq_along(instances), sapply(instances, function(i)
                   with(rows[i$at[1], ], paste(op, site, alike(comm, comm_size), comm_size, bytes)))),
                 function(members) {
  of <- Filter(function(i) i$complete && all(bitwAnd(as.integer(rows$flags[i$at]), PERTURBED) == 0), instances[members])
  if (length(of) == 0) return(NULL)
  list(op = rows$op[of[[1]]$at[1]], site = rows$site[of[[1]]$at[1]],
       operation = sapply(of, function(i) max(rows$end_ns[i$at]) - i$T))
})
groups <- Filter(Negate(is.null), groups)
z <- qnorm(0.975)
ends_of <- function(g) { # of the tenth percentile: order statistics, wider where neighbours depend on each other
  x <- sort(g$operation)
  n <- length(x)
  p10 <- quantile(x, 0.1)
  told <- Filter(function(o) o$op == g$op && o$site == g$site && o$operation_ns$n == n && o$operation_ns$min == x[1] &&
                             o$operation_ns$max == x[n], report_groups)[[1]]$operation_ns
  wider <- if (is.null(told$n_effective)) 1 else sqrt(max(1, n / told$n_effective))
  w <- z * sqrt(n * 0.1 * 0.9)
  if (n < 6 || 0.9^n > pnorm(-z)) return(pmin(pmax(c(x[1], mean(x)), 0), mean(x)))
  pmin(pmax(p10 + wider * (x[pmin(pmax(c(floor(n * 0.1 - w), ceiling(1 + n * 0.1 + w)), 1), n)] - p10), 0), mean(x))
}
fast <- rep(final - begin, 3)
for (p in if (of_groups) run$critical_path$pieces) {
  if (p$kind != "operation") next
  here <- Filter(function(g) g$op == p$op && g$site == sub(" [(]completion[)]$", "", p$from), groups)
  if (length(here) == 0) next # called from other lines by rank 0, whose line is that of the instance
  all <- sum(sapply(here, function(g) sum(g$operation)))
  tenth <- rowSums(sapply(here, function(g)
    length(g$operation) * c(min(max(quantile(g$operation, 0.1), 0), mean(g$operation)), ends_of(g))))
  if (all > 0) fast <- fast - p$ns * (1 - tenth / all)
}
if (of_groups) for (k in 1:3) check(paste("as fast as the fastest tenth", k), fast[k], run$what_if_ns$fast_operations[[k]], 1)
cat(sprintf("causes compared: %d, differ: %d\n", compared, differ))
quit(status = if (differ > 0) 1 else 0)
