#!/usr/bin/env Rscript
# oracle_diff.R - does `diff --format json` say what R says of the same traces?
#
#   syncopate export --format csv -o a.csv A;  syncopate export --format csv -o b.csv B
#   syncopate diff --format json -o diff.json --quantiles 0.1,0.9 A -- B
#   Rscript tests/unit/analyze/oracle_diff.R a.csv b.csv diff.json [a.report.json b.report.json]
#
# For the groups that agree in all keys: the runs' figures, their median, test, adjustment, ratio and effect, the share of
# waiting, and every quantile with its regression are computed from the CSV alone with R's own functions. Prints the
# differences and "figures compared: N, differ: M"; exit status 1 where M > 0, 2 where the files cannot be read. Clock
# bounds, verdicts that hang on them and seeded intervals are not in the CSV, and not compared. Needs jsonlite; where
# quantreg is installed, quantile regression is also held against its rq().
suppressPackageStartupMessages(library(jsonlite))
options(warn = -1, digits = 17)
arguments <- commandArgs(trailingOnly = TRUE)
if (!length(arguments) %in% c(3, 5)) {
  message("usage: oracle_diff.R A.csv B.csv DIFF.json [A.report.json B.report.json]")
  quit(status = 2)
}
fail <- function(e) { message("oracle_diff.R: ", conditionMessage(e)); quit(status = 2) }
read <- function(path) {
  rows <- tryCatch(
    read.csv(path, stringsAsFactors = FALSE, check.names = FALSE, na.strings = character(), comment.char = "",
             colClasses = c(comm = "character", site = "character", root = "character")), error = fail)
  # A whole number of R ends at 2^31: some 2 s.
  for (column in grep("_ns$", names(rows))) rows[[column]] <- as.numeric(rows[[column]])
  rows
}
sides <- list(a = read(arguments[1]), b = read(arguments[2]))
diff <- tryCatch(fromJSON(arguments[3], simplifyVector = FALSE), error = fail)
by <- unlist(diff$by)
if (!all(by %in% c("op", "site", "comm", "bytes", "rank"))) {
  message("oracle_diff.R: takes groups by op, site, comm, bytes and rank")
  quit(status = 2)
}
confidence <- diff$confidence
side_of_test <- diff$alternative
alpha <- (1 - confidence) * if (side_of_test == "two.sided" || side_of_test == "two-sided") 1 else 2
alternative <- sub("-", ".", side_of_test)

# ---- comparing ----
compared <- 0
differ <- 0
where <- ""
none <- function(x) is.null(x) || length(x) == 0 || is.na(x)
compare <- function(name, expected, got, tolerance = 1e-9, floor = 0) {
  compared <<- compared + 1
  same <- if (none(expected) || none(got)) none(expected) && none(got)
          else if (is.numeric(expected) && is.numeric(got))
            expected == got || abs(expected - got) <= tolerance * max(abs(expected), floor)
          else identical(as.character(expected), as.character(got))
  if (same) return(invisible())
  differ <<- differ + 1
  if (differ <= 40)
    cat(sprintf("%s: %s: R %s, diff %s\n", where, name, if (none(expected)) "none" else format(expected, digits = 17),
                if (none(got)) "none" else format(got, digits = 17)))
}

# If the check function is least on more than one point (n * tau is whole), rq may end at any of them: then both have to be as
# good.
has_quantreg <- requireNamespace("quantreg", quietly = TRUE)
loss <- function(y, at, tau) sum((y - at) * (tau - (y < at)))
compare_regression <- function(name, a, b, q) {
  y <- c(a, b)
  in_b <- rep(0:1, c(length(a), length(b)))
  theirs <- coef(quantreg::rq(y ~ in_b, tau = q$tau, method = "br"))
  ours <- c(q$regression$intercept, q$regression$intercept + q$regression$effect)
  unique_a <- (length(a) * q$tau) %% 1 > 1e-9
  unique_b <- (length(b) * q$tau) %% 1 > 1e-9
  if (unique_a) compare(paste0(name, ".rq.intercept"), theirs[[1]], ours[1])
  if (unique_a && unique_b) compare(paste0(name, ".rq.effect"), theirs[[2]], ours[2] - ours[1])
  compare(paste0(name, ".rq.loss"), loss(a, theirs[[1]], q$tau) + loss(b, sum(theirs), q$tau),
          loss(a, ours[1], q$tau) + loss(b, ours[2], q$tau))
}

# ---- instances, or by rank their parts ----
by_rank <- "rank" %in% by
instances <- function(rows) {
  rows <- rows[order(rows$run, rows$comm, rows$seq, rows$comm_rank), ]
  id <- paste(rows$run, rows$comm, rows$seq, sep = "\r")
  complete <- ave(rows$comm_rank, id, FUN = length) == rows$comm_size
  rows <- rows[complete, ]
  id <- factor(id[complete], unique(id[complete]))
  first <- !duplicated(id)
  per <- function(x, f) as.vector(tapply(x, id, f))
  last_start <- per(rows$start_ns, max)
  inside <- rows$end_ns - rows$start_ns - pmax(0, rows$wait_start_ns - rows$call_end_ns)
  # of the time inside, what passed before the last had come
  waiting <- pmin(rows$call_end_ns, pmax(rows$start_ns, last_start[id])) - rows$start_ns +
    ifelse(rows$wait_start_ns > rows$call_end_ns,
           pmin(rows$end_ns, pmax(rows$wait_start_ns, last_start[id])) - rows$wait_start_ns, 0)
  if (by_rank)
    return(data.frame(op = rows$op[first][id], site = rows$site[first][id], comm = rows$comm, bytes = rows$bytes[first][id],
                      rank = rows$rank, run = rows$run, start = rows$start_ns, local_max = rows$end_ns - rows$start_ns,
                      operation = rows$end_ns - last_start[id], inside = inside, waiting = waiting,
                      stringsAsFactors = FALSE))
  begin <- per(rows$start_ns, min)
  end <- per(rows$end_ns, max)
  data.frame(op = rows$op[first], site = rows$site[first], comm = rows$comm[first], bytes = rows$bytes[first],
             run = rows$run[first], start = begin, completion = end - begin, spread = last_start - begin,
             operation = end - last_start, exit_skew = end - per(rows$end_ns, min),
             local_max = per(rows$end_ns - rows$start_ns, max), inside = per(inside, sum), waiting = per(waiting, sum),
             stringsAsFactors = FALSE)
}
data <- lapply(sides, instances)
key_of <- function(x) do.call(paste, c(lapply(by, function(k) as.character(x[[k]])), sep = "\r"))
groups <- lapply(data, function(d) split(d, key_of(d)))

# ---- tests on one figure a run ----
test <- function(b, a) {
  smallest <- 2 / choose(length(a) + length(b), length(a))
  list(w = wilcox.test(b, a, alternative = alternative), enough = smallest < alpha * (1 - 1e-12))
}
shift <- function(b, a) wilcox.test(b, a, conf.int = TRUE, conf.level = 1 - alpha)
# Ties and constant samples: R's root finder stops at 1e-4, and it takes any point of a flat stretch.
loose <- function(b, a) if (any(duplicated(c(a, b)))) 5e-3 else 1e-9

check_pair <- function(name, a, b, got, enough) {
  tolerance <- loose(b, a)
  ties <- tolerance > 1e-9
  d <- tryCatch(shift(b, a), error = function(e) NULL)
  compare(paste0(name, ".U"), unname(test(b, a)$w$statistic), got$U)
  p <- test(b, a)$w$p.value
  compare(paste0(name, ".p"), if (is.nan(p)) 1 else p, got$p)
  if (!is.null(d) && !ties) {
    compare(paste0(name, ".change"), unname(d$estimate), got$change, floor = 1e-3)
    compare(paste0(name, ".change_low"), if (enough) d$conf.int[1] else NA, got$change_low, floor = 1e-3)
    compare(paste0(name, ".change_high"), if (enough) d$conf.int[2] else NA, got$change_high, floor = 1e-3)
  }
  if (is.nan(p)) 1 else p
}

check_ratio <- function(name, a, b, got, enough) {
  if (min(a, b) <= 0) return(compare(paste0(name, ".ratio"), NA, got$ratio))
  ties <- any(duplicated(c(a, b)))
  r <- tryCatch(shift(log(b), log(a)), error = function(e) NULL)
  if (is.null(r)) return()
  tolerance <- if (ties) 5e-3 else 1e-9
  if (!ties) compare(paste0(name, ".ratio"), exp(unname(r$estimate)), got$ratio, tolerance)
  if (!enough || ties) return()
  compare(paste0(name, ".ratio_low"), exp(r$conf.int[1]), got$ratio_low, tolerance)
  compare(paste0(name, ".ratio_high"), exp(r$conf.int[2]), got$ratio_high, tolerance)
}

per_run <- function(d, f) as.vector(tapply(seq_len(nrow(d)), d$run, function(i) f(d[i, ])))
share <- function(d) sum(d$waiting) / sum(d$inside)

check_group <- function(got, a, b) {
  metric <- got$metric
  figure <- function(d) if (metric == "wait_share") per_run(d, share) else per_run(d, function(x) median(x[[metric]]))
  va <- figure(a)
  vb <- figure(b)
  enough <- test(vb, va)$enough
  for (i in seq_along(va)) compare("a.values", va[i], got$a$values[[i]])
  for (i in seq_along(vb)) compare("b.values", vb[i], got$b$values[[i]])
  compare("a.median", median(va), got$a$median)
  compare("b.median", median(vb), got$b$median)
  compare("a.instances", nrow(a), got$a$instances)
  compare("b.instances", nrow(b), got$b$instances)
  compare("U", unname(test(vb, va)$w$statistic), got$U)
  p <- test(vb, va)$w$p.value
  p <- if (is.nan(p)) 1 else p
  compare("p", p, got$p)
  compare("vargha_delaney_a", mean(outer(vb, va, ">") + 0.5 * outer(vb, va, "==")), got$vargha_delaney_a)
  if (enough) check_ratio("", va, vb, got, enough)
  wa <- per_run(a, share)
  wb <- per_run(b, share)
  compare("wait_share.a", median(wa), got$wait_share$a, floor = 1e-6)
  compare("wait_share.b", median(wb), got$wait_share$b, floor = 1e-6)
  wait_p <- check_pair("wait_share", wa, wb, got$wait_share, enough)
  taus <- numeric()
  quantiles <- list()
  for (q in got$quantiles) {
    qa <- per_run(a, function(x) quantile(x[[metric]], q$tau, type = 7, names = FALSE))
    qb <- per_run(b, function(x) quantile(x[[metric]], q$tau, type = 7, names = FALSE))
    name <- paste0("quantile ", q$tau)
    quantiles[[length(quantiles) + 1]] <- list(a = qa, b = qb, share = FALSE)
    compare(paste0(name, ".a"), median(qa), q$a)
    compare(paste0(name, ".b"), median(qb), q$b)
    taus <- c(taus, check_pair(name, qa, qb, q, enough))
    check_ratio(name, qa, qb, q, enough)
    # the lower end of what minimizes the check function: the inverse of the empirical distribution
    base <- quantile(a[[metric]], q$tau, type = 1, names = FALSE)
    other <- quantile(b[[metric]], q$tau, type = 1, names = FALSE)
    compare(paste0(name, ".regression.intercept"), base, q$regression$intercept)
    if (has_quantreg) compare_regression(name, a[[metric]], b[[metric]], q)
    compare(paste0(name, ".regression.effect"), other - base, q$regression$effect)
  }
  list(figures = list(a = va, b = vb, share = FALSE), shares = list(a = wa, b = wb, share = TRUE), quantiles = quantiles,
       p = if (enough) p else NA, wait = if (enough) wait_p else NA, taus = if (enough) taus else rep(NA, length(taus)))
}

got_key <- function(g) paste(vapply(by, function(k) as.character(g[[k]]), ""), collapse = "\r")
found <- Filter(function(g) g$matched == "exact", diff$groups)
if (length(found) < length(diff$groups)) {
  message("oracle_diff.R: takes groups that agree in all keys")
  quit(status = 2)
}

# Westfall and Young's step-down maxT by its definition: every division of the runs, in all groups at once.
max_t <- function(pairs, alternative) {
  na <- length(pairs[[1]]$a)
  n <- na + length(pairs[[1]]$b)
  x <- t(sapply(pairs, function(q) if (min(q$a, q$b) > 0 && !q$share) log(c(q$a, q$b)) else c(q$a, q$b)))
  constant <- apply(x, 1, function(v) max(v) - min(v) <= 1e-12 * max(abs(v)))
  statistic <- function(b) {
    mean_b <- rowMeans(x[, b, drop = FALSE])
    mean_a <- rowMeans(x[, -b, drop = FALSE])
    within <- rowSums((x[, b, drop = FALSE] - mean_b)^2) + rowSums((x[, -b, drop = FALSE] - mean_a)^2)
    t <- (mean_b - mean_a) / sqrt(pmax(within, 1e-300) / (n - 2) * (1 / length(b) + 1 / (n - length(b))))
    t <- switch(alternative, two.sided = abs(t), less = -t, greater = t)
    ifelse(constant, -Inf, t)
  }
  observed <- statistic((na + 1):n)
  divided <- combn(n, n - na, statistic)
  divided <- matrix(divided, nrow = nrow(x))
  falling <- order(observed, decreasing = TRUE)
  above <- sapply(seq_along(falling), function(i) {
    largest <- apply(divided[falling[i:length(falling)], , drop = FALSE], 2, max)
    mean(largest >= observed[falling[i]] - 1e-8 * (1 + abs(observed[falling[i]])))
  })
  p <- numeric(nrow(x))
  p[falling] <- cummax(above)
  p[constant] <- 1
  own <- rowMeans(divided >= observed - 1e-8 * (1 + abs(observed)))
  list(p = p, own = ifelse(constant, NA, own))
}
adjust_all <- function(p, pairs) {
  if (diff$adjust != "maxt") return(p.adjust(p, if (diff$adjust == "bh") "BH" else "holm"))
  if (!isTRUE(diff$adjust_exact)) { message("oracle_diff.R: divisions were drawn"); quit(status = 2) }
  ifelse(is.na(p), NA, max_t(pairs, alternative)$p)
}
results <- list()
for (g in found) {
  key <- got_key(g)
  where <- gsub("\r", " ", key)
  if (is.null(groups$a[[key]]) || is.null(groups$b[[key]])) {
    compare("group", NULL, "a group")
    next
  }
  results[[length(results) + 1]] <- check_group(g, groups$a[[key]], groups$b[[key]])
}
where <- "all"
compare("groups", length(intersect(names(groups$a), names(groups$b))), length(found))
adjusted <- adjust_all(sapply(results, `[[`, "p"), lapply(results, `[[`, "figures"))
wait <- adjust_all(sapply(results, `[[`, "wait"), lapply(results, `[[`, "shares"))
taus <- if (length(unlist(lapply(results, `[[`, "taus"))))
  adjust_all(unlist(lapply(results, `[[`, "taus")), do.call(c, lapply(results, `[[`, "quantiles")))
k <- 0
for (i in seq_along(found)) {
  where <- gsub("\r", " ", got_key(found[[i]]))
  if (!is.na(adjusted[i])) compare("p_adjusted", adjusted[i], found[[i]]$p_adjusted)
  compare("wait_share.p_adjusted", wait[i], found[[i]]$wait_share$p_adjusted)
  for (q in found[[i]]$quantiles) {
    k <- k + 1
    compare(paste0("quantile ", q$tau, ".p_adjusted"), taus[k], q$p_adjusted)
  }
}
if (diff$adjust == "maxt") {
  own <- max_t(lapply(results, `[[`, "figures"), alternative)$own
  for (i in seq_along(found)) {
    where <- gsub("\r", " ", got_key(found[[i]]))
    compare("p_permutation", own[i], found[[i]]$p_permutation)
  }
}
# Whole runs: of a comparison, whose runs were made in pairs, by the pairs.
check_whole <- function(name, a, b, got) {
  if (!identical(got$test, "signed-rank")) {
    compare(paste0(name, ".p"), test(b, a)$w$p.value, got$p)
    return(check_ratio(name, a, b, got, test(b, a)$enough))
  }
  difference <- log(b) - log(a)
  w <- wilcox.test(difference, alternative = alternative)
  compare(paste0(name, ".V"), unname(w$statistic), got$U)
  compare(paste0(name, ".p"), w$p.value, got$p)
  d <- wilcox.test(difference, conf.int = TRUE, conf.level = 1 - alpha)
  for (i in 1:3)
    compare(paste0(name, c(".ratio", ".ratio_low", ".ratio_high")[i]), exp(c(d$estimate, d$conf.int)[i]),
            c(got$ratio, got$ratio_low, got$ratio_high)[i])
}
# the whole: time in collectives, a rank's mean (the run time is not in the CSV)
where <- "totals"
inside <- function(d) per_run(d, function(x) sum(x$inside))
ta <- inside(data$a) / length(unique(sides$a$rank))
tb <- inside(data$b) / length(unique(sides$b$rank))
total <- diff$totals_ns$collectives_time
compare("collectives_time.a", median(ta), total$a)
compare("collectives_time.b", median(tb), total$b)
check_whole("collectives_time", ta, tb, total)
if (!none(total$p_adjusted))
  compare("collectives_time.p_adjusted", p.adjust(c(diff$totals_ns$run_time$p, total$p), "holm")[2], total$p_adjusted)
where <- "efficiency"
# Times of ranks between blocking calls, each rank one thread.
gaps <- function(rows) {
  rows <- rows[order(rows$run, rows$rank, rows$start_ns), ]
  number <- function(x) { x <- as.numeric(x); ifelse(is.na(x), 0, x) }
  n <- nrow(rows)
  before <- seq_len(n - 1)
  behind <- before + 1
  same <- rows$run[before] == rows$run[behind] & rows$rank[before] == rows$rank[behind]
  before <- before[same]
  behind <- behind[same]
  gap <- rows$start_ns[behind] - rows$end_ns[before]
  data.frame(run = rows$run[behind], rank = rows$rank[behind], from = rows$site[before], to = rows$site[behind],
             messages = number(rows$messages_ns[behind]), off_cpu = number(rows$off_cpu_ns[behind]),
             computing = gap - number(rows$messages_ns[behind]) - number(rows$off_cpu_ns[behind]), stringsAsFactors = FALSE)
}
efficiency <- function(rows, report) sapply(sort(unique(rows$run)), function(r) {
  d <- rows[rows$run == r, ]
  run <- Filter(function(one) one$run == r, report$runs)[[1]]
  whole <- run$duration_ns
  d <- d[order(d$rank, d$start_ns), ]
  messages <- as.numeric(d$messages_ns)
  messages[is.na(messages)] <- 0
  # of those before the run's first call, what lies in the run
  first <- !duplicated(d$rank)
  messages[first] <- pmin(messages[first], d$start_ns[first] - run$begin_ns)
  inside <- tapply(d$end_ns - d$start_ns + messages, d$rank, sum)
  useful <- whole - inside
  c(load_balance = mean(useful) / max(useful), communication = max(useful) / whole, parallel = mean(useful) / whole)
})
blocking <- all(sapply(sides, function(d) all(d$call_end_ns == d$end_ns)))
if (blocking && length(arguments) == 5) { # how long a run took is not in the CSV
  reports <- lapply(arguments[4:5], fromJSON, simplifyVector = FALSE)
  ea <- efficiency(sides$a, reports[[1]])
  eb <- efficiency(sides$b, reports[[2]])
  for (name in rownames(ea)) {
    got <- diff$efficiency[[name]]
    compare(paste0(name, ".a"), median(ea[name, ]), got$a)
    compare(paste0(name, ".b"), median(eb[name, ]), got$b)
    check_whole(name, ea[name, ], eb[name, ], got)
  }
  compare("p_adjusted", p.adjust(sapply(diff$efficiency, function(x) if (none(x$p_adjusted)) NA else x$p), "holm")[["parallel"]],
          diff$efficiency$parallel$p_adjusted)
}
# Between the calls: each run's mean a time. (The time in calls, but for waiting, is the report's own.)
per_time <- if (blocking) lapply(sides, gaps)
found_segments <- if (length(diff$segments)) diff$segments else list()
values_of <- function(half) unlist(half$values)
for (s in found_segments) {
  where <- paste("segment", s$kind, s$from, s$to)
  if (blocking && is.null(s$op) && !is.null(s$from))
    for (side in c("a", "b")) {
      d <- per_time[[side]]
      d <- d[d$from == s$from & d$to == s$to, ]
      expected <- as.vector(tapply(d[[s$kind]], d$run, mean))
      for (i in seq_along(expected)) compare(paste0(side, ".values"), expected[i], s[[side]]$values[[i]])
      compare(paste0(side, ".median"), median(expected), s[[side]]$median)
    }
  va <- values_of(s$a)
  vb <- values_of(s$b)
  if (length(va) == 0 || length(vb) == 0) next
  compare("U", unname(test(vb, va)$w$statistic), s$U)
  compare("p", test(vb, va)$w$p.value, s$p)
  check_ratio("", va, vb, s, test(vb, va)$enough)
}
where <- "segments"
tested <- Filter(function(s) !none(s$p_adjusted), found_segments)
if (length(tested)) {
  pairs <- lapply(tested, function(s) list(a = values_of(s$a), b = values_of(s$b), share = FALSE))
  adjusted <- adjust_all(sapply(tested, `[[`, "p"), pairs)
  for (i in seq_along(tested)) compare(paste(tested[[i]]$from, tested[[i]]$to, "p_adjusted"), adjusted[i], tested[[i]]$p_adjusted)
}
# The waiting caused there, as the reports have it.
if (length(arguments) == 5) {
  or_none <- function(x) if (is.null(x)) "" else x
  key <- function(c) paste(c$kind, or_none(c$from), or_none(c$to), or_none(c$op))
  waiting <- lapply(arguments[4:5], function(path) lapply(fromJSON(path, simplifyVector = FALSE)$runs, function(run) {
    causes <- Filter(function(c) c$kind != "unknown", run$causes)
    # one cause for a rank's own time is two kinds of it
    causes <- do.call(c, lapply(causes, function(c) {
      if (is.null(c$off_cpu_waiting_ns)) return(list(c))
      list(modifyList(c, list(kind = "computing", waiting_ns = c$waiting_ns - c$off_cpu_waiting_ns)),
           modifyList(c, list(kind = "off_cpu", waiting_ns = c$off_cpu_waiting_ns)))
    }))
    tapply(sapply(causes, `[[`, "waiting_ns"), sapply(causes, key), sum) / (run$critical_path$total_ns * run$ranks)
  }))
  shares <- function(side, s) sapply(waiting[[side]], function(w) if (key(s) %in% names(w)) w[[key(s)]] else 0)
  for (s in found_segments) {
    where <- paste("waiting for", key(s))
    compare("a", median(shares(1, s)), s$waiting_share$a, floor = 1e-6)
    compare("b", median(shares(2, s)), s$waiting_share$b, floor = 1e-6)
    check_pair("waiting", shares(1, s), shares(2, s), s$waiting_share, test(shares(2, s), shares(1, s))$enough)
  }
}
where <- "all collectives"
compare("wait_share.a", median(per_run(data$a, share)), diff$wait_share$a, floor = 1e-6)
compare("wait_share.b", median(per_run(data$b, share)), diff$wait_share$b, floor = 1e-6)
if (differ > 40) cat(sprintf("... and %d more\n", differ - 40))
cat(sprintf("figures compared: %d, differ: %d\n", compared, differ))
quit(status = if (differ > 0) 1 else 0)
