#!/usr/bin/env Rscript
# oracle.R - does `report --format json` say what R says of the same trace?
#
#   syncopate export --format csv --bounds -o trace.csv TRACE
#   syncopate report --format json -o trace.json TRACE
#   Rscript tests/unit/analyze/oracle.R trace.csv trace.json
#
# Every figure of every group is computed from the CSV alone, with R's own functions, and compared with the JSON. Prints
# the differences and "figures compared: N, differ: M"; exit status 1 where M > 0, 2 where the files cannot be read.
# Takes reports by any of op, site, comm, bytes, root, run. Without --bounds in the export what clocks bound is not compared.
# Needs jsonlite (Debian: r-cran-jsonlite). Shares no code with the program: it is its second opinion.
suppressPackageStartupMessages(library(jsonlite))
options(warn = -1, digits = 17)

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 2) {
  message("usage: oracle.R EXPORT.csv REPORT.json")
  quit(status = 2)
}
rows <- tryCatch(read.csv(arguments[1], stringsAsFactors = FALSE, check.names = FALSE, quote = "\"",
                          na.strings = character(), strip.white = FALSE, comment.char = "",
                          colClasses = c(comm = "character", site = "character", root = "character")),
                 error = function(e) { message("oracle.R: ", conditionMessage(e)); quit(status = 2) })
# A whole number of R ends at 2^31: some 2 s.
for (column in grep("_ns$", names(rows))) rows[[column]] <- as.numeric(rows[[column]])
report <- tryCatch(fromJSON(arguments[2], simplifyVector = FALSE),
                   error = function(e) { message("oracle.R: ", conditionMessage(e)); quit(status = 2) })

by <- if (is.null(report$by)) c("op", "site", "comm", "bytes") else unlist(report$by)
if (!all(by %in% c("op", "site", "comm", "bytes", "root", "run"))) {
  message("oracle.R: groups by ", paste(by, collapse = ","), " are parts of instances: not compared")
  quit(status = 2)
}

# ---- comparing ----
compared <- 0
differ <- 0
LISTED <- 40
where <- ""

is_none <- function(x) is.null(x) || length(x) == 0 || is.na(x)

compare <- function(name, expected, got, tolerance = 1e-9, floor = 0) {
  compared <<- compared + 1
  same <- if (is_none(expected) || is_none(got)) is_none(expected) && is_none(got)
          else if (is.numeric(expected) && is.numeric(got))
            expected == got || abs(expected - got) <= tolerance * max(abs(expected), floor)
          else identical(as.character(expected), as.character(got))
  if (same) return(invisible())
  differ <<- differ + 1
  if (differ <= LISTED)
    cat(sprintf("%s: %s: R %s, report %s\n", where, name, if (is_none(expected)) "none" else format(expected, digits = 17),
                if (is_none(got)) "none" else format(got, digits = 17)))
}

# A key that the contract names has to be there, null or not.
member <- function(object, key) {
  if (!(key %in% names(object))) {
    compared <<- compared + 1
    differ <<- differ + 1
    cat(sprintf("%s: key \"%s\" is missing\n", where, key))
  }
  object[[key]]
}

# ---- instances ----
variable <- grepl("(v|w|[Rr]educe_scatter)(_init)?$", rows$op)
key <- paste(rows$run, rows$comm, rows$seq, sep = "\r")
rows <- rows[order(rows$run, rows$comm, rows$seq, rows$comm_rank), ]
variable <- variable[as.integer(rownames(rows))]
key <- paste(rows$run, rows$comm, rows$seq, sep = "\r")
first <- !duplicated(key)
id <- cumsum(first)
one_op <- as.vector(tapply(rows$op, id, function(x) length(unique(x)) == 1))
arrived <- as.vector(tabulate(id))
leader <- rows[first, ] # the lowest member: comm rank 0 in a complete instance
per_instance <- function(x, f) as.vector(tapply(x, id, f))
start <- per_instance(rows$start_ns, min)
last_start <- per_instance(rows$start_ns, max)
first_end <- per_instance(rows$end_ns, min)
end <- per_instance(rows$end_ns, max)
mean_bytes <- per_instance(rows$bytes, mean)
instance <- data.frame(
  op = leader$op, site = leader$site, comm = leader$comm, root = leader$root, run = leader$run,
  bytes = ifelse(variable[first], ifelse(mean_bytes < 1, 0, 2^floor(log2(mean_bytes))), leader$bytes),
  comm_size = leader$comm_size, complete = arrived == leader$comm_size & one_op,
  # A late start, or a pause of the profiler, in any rank: in no figure, unless the report was told to keep all.
  spoilt = per_instance(rows$flags, function(x) any(bitwAnd(x, 24L) > 0)) & !isTRUE(report$keeps_all),
  site_differs = per_instance(rows$site, function(x) length(unique(x)) > 1),
  start = start, completion = end - start, spread = last_start - start, operation = end - last_start,
  exit_skew = end - first_end, local_max = per_instance(rows$end_ns - rows$start_ns, max), stringsAsFactors = FALSE)
# An instance's bound: that of its worst start and that of its worst end, one clock alone having none; and how much later
# than the one before it the last member came.
bounded <- "start_bound_ns" %in% names(rows)
if (bounded) {
  instance$bound <- ifelse(arrived < 2, 0, per_instance(rows$start_bound_ns, max) + per_instance(rows$end_bound_ns, max))
  instance$lead <- per_instance(rows$start_ns, function(x) if (length(x) < 2) 0 else diff(tail(sort(x), 2)))
}
rows$id <- id
rows$wait <- last_start[id] - rows$start_ns
# Inside MPI: a blocking call all the time, another until it returned and from its completing call on; waiting: the part of
# that before the last member came. What the last one made the others wait.
blocking <- rows$call_end_ns == rows$end_ns & rows$wait_start_ns == rows$start_ns
first_until <- ifelse(blocking, rows$end_ns, rows$call_end_ns)
then_from <- ifelse(blocking | bitwAnd(rows$flags, 1L) > 0, rows$end_ns, rows$wait_start_ns)
rows$inside <- first_until - rows$start_ns + rows$end_ns - then_from
rows$waiting <- pmax(pmin(first_until, last_start[id]) - rows$start_ns, 0) + pmax(pmin(rows$end_ns, last_start[id]) - then_from, 0)
rows$is_last <- rows$start_ns == last_start[id] & rows$comm_size > 1 # alone, nobody is late
rows$is_last <- rows$is_last & !duplicated(ifelse(rows$is_last, id, -seq_along(id))) # the lowest of several

rows$caused <- ifelse(rows$is_last, per_instance(ifelse(rows$is_last, 0, rows$waiting), sum)[id], 0)

# Communicators of a run are grouped as one if more than eight differ in the numbers of their names only.
comms <- unique(instance[c("run", "comm", "comm_size")])
bare <- gsub(" [0-9]+(?= of )", " *", sub(" @[0-9]+$", "", comms$comm), perl = TRUE)
family <- ifelse(grepl("*", bare, fixed = TRUE),
                 sprintf("%s, %d rank%s", bare, comms$comm_size, ifelse(comms$comm_size == 1, "", "s")), comms$comm)
large <- ave(seq_along(family), comms$run, family, FUN = length) > 8
comms$family <- ifelse(large, family, comms$comm)
instance$comm <- comms$family[match(paste(instance$run, instance$comm), paste(comms$run, comms$comm))]

group_key <- function(x) do.call(paste, c(lapply(by, function(k) format_key(x[[k]])), sep = "\r"))
format_key <- function(x) ifelse(is.na(x) | x == "", "-", if (is.numeric(x)) sprintf("%.0f", x) else as.character(x))
instance$group <- group_key(instance)
members <- split(seq_len(nrow(instance)), instance$group)

# ---- figures ----
confidence <- if (is.null(report$confidence)) 0.95 else report$confidence
z <- qnorm(1 - (1 - confidence) / 2)

exact <- !is.null(report$ci) && report$ci == "exact"
seeded <- !is.null(report$ci) && report$ci %in% c("bootstrap", "block")
exact_interval <- function(x) {
  n <- length(x)
  if (n < 6) return(c(NA, NA))
  ranks <- c(qbinom((1 - confidence) / 2, n, 0.5), 1 + qbinom((1 + confidence) / 2, n, 0.5))
  if (ranks[1] < 1 || ranks[2] > n) c(NA, NA) else sort(x)[ranks]
}

median_interval <- function(x, z) {
  n <- length(x)
  if (n < 6) return(c(NA, NA))
  s <- sort(x)
  c(s[max(1, floor((n - z * sqrt(n)) / 2))], s[min(n, ceiling(1 + (n + z * sqrt(n)) / 2))])
}

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(trailingOnly = FALSE), value = TRUE)))
source(file.path(here, "dependence.R"))
# Rows are instances, columns ranks.
table_factor <- function(m) {
  n <- nrow(m)
  if (n < 8) return(NA)
  size <- if (n < 2048) 1 else n %/% 1024
  count <- n %/% size
  m <- m - apply(m, 1, median)
  columns <- list()
  for (j in seq_len(ncol(m))) {
    q <- quantile(m[, j], c(0.05, 0.95), names = FALSE)
    y <- pmin(pmax(m[, j], q[1]), q[2])
    v <- mean((y - mean(y))^2)
    if (v > 0) columns[[length(columns) + 1]] <- colMeans(matrix(((y - mean(y)) / sqrt(v))[seq_len(size * count)], size))
  }
  if (length(columns) == 0) return(1)
  covariance <- function(y, lag) sum(y[seq_len(count - lag)] * y[seq_len(count - lag) + lag]) / count
  mean_covariance <- function(lag) mean(sapply(columns, covariance, lag = lag))
  v <- mean_covariance(0)
  if (v <= 0) return(1)
  factor_of <- function(rho) { rho <- min(max(rho, 0), 0.999); (1 + rho) / (1 - rho) }
  error <- function(rho) sqrt(max(0, 1 - min(rho, 1)^2) / count)
  corrected <- function(r) (count * r + 1) / (count - 4)
  rho <- corrected(mean_covariance(1) / v)
  first <- factor_of(rho + error(rho) / sqrt(max(1, length(columns) - 1)))
  tau <- -1
  for (lag in seq(0, length.out = max(0, ceiling((count %/% 2 - 1) / 2)), by = 2)) {
    pair <- (mean_covariance(lag) + mean_covariance(lag + 1)) / v
    if (pair <= 0) break
    tau <- tau + 2 * pair
  }
  tau <- max(1, tau)
  tau <- tau / (1 - min(0.9, 2 * tau / count))
  own <- sapply(columns, function(y) {
    own_v <- covariance(y, 0)
    own_rho <- if (own_v > 0) corrected(covariance(y, 1) / own_v) else 0
    factor_of(own_rho - 2 * error(own_rho)) * size * own_v
  })
  max(1, max(first, tau) * size * v, own)
}
# How far the ends of the median's interval move when each value is off by its own bound u, down or up; where all bounds are
# alike within a nanosecond, or there is no interval, the largest.
clock_bound <- function(x, u) {
  n <- length(x)
  if (n == 0 || anyNA(u)) return(NA)
  if (n < 6 || max(u) - min(u) <= 1) return(max(u))
  low <- max(1, floor((n - z * sqrt(n)) / 2))
  high <- min(n, ceiling(1 + (n + z * sqrt(n)) / 2))
  s <- sort(x)
  max(s[low] - sort(x - u)[low], sort(x + u)[high] - s[high])
}

check_metric <- function(name, got, x, u) { # x, and the bound of each, in the order of time
  n <- length(x)
  if (bounded) compare(paste0(name, ".clock_bound_ns"), clock_bound(x, u), member(got, "clock_bound_ns"))
  q <- if (n) quantile(x, c(0.05, 0.25, 0.5, 0.75, 0.95, 0.99), type = 7, names = FALSE) else rep(NA, 6)
  ci <- if (exact) exact_interval(x) else median_interval(x, z)
  wide <- dependent_z(confidence, x)
  dependent <- if (!is.na(wide)) median_interval(x, wide) else c(NA, NA)
  reach <- 1.5 * (q[4] - q[2])
  expected <- list(n = n, median = q[3], ci_low = ci[1], ci_high = ci[2], confidence = confidence, q1 = q[2], q3 = q[4],
                   p5 = q[1], p95 = q[5], p99 = q[6], min = if (n) min(x) else NA, max = if (n) max(x) else NA,
                   mean = if (n) mean(x) else NA, sd = if (n > 1) sd(x) else NA,
                   cv = if (n > 1 && mean(x) > 0) sd(x) / mean(x) else NA,
                   tail_share = if (n && mean(x) > 0) sum(pmax(x - median(x), 0)) / sum(x) else NA,
                   outliers_tukey = if (n) sum(x < q[2] - reach | x > q[4] + reach) else 0,
                   n_effective = if (n) effective(n, interval_width(x)) else NA, ci_dependent_low = dependent[1], ci_dependent_high = dependent[2])
  if (seeded) expected$ci_low <- expected$ci_high <- NULL # of this program's own generator
  for (figure in names(expected)) compare(paste(name, figure, sep = "."), expected[[figure]], member(got, figure))
}

check_shape <- function(got, x) {
  n <- length(x)
  constant <- n == 0 || min(x) == max(x)
  test <- if (n < 3 || n > 5000 || constant) list(statistic = NA, p.value = NA) else shapiro.test(x)
  compare("normality.shapiro_w", unname(test$statistic), member(got$normality, "shapiro_w"))
  # log(1 - W): near W = 1 the p-value multiplies the last digits of W
  compare("normality.p", test$p.value, member(got$normality, "p"), tolerance = 1e-6)
  lags <- got$autocorrelation
  r <- if (n < 2 || constant) rep(NA, length(lags)) else acf(x, lag.max = length(lags), plot = FALSE)$acf[-1][seq_along(lags)]
  for (lag in seq_along(lags)) compare(paste0("autocorrelation.", lag), r[lag], lags[[lag]], floor = 0.01)
}

# Further figures of a group's series: independence, means by kind, Q-Q points, rate, precision.
check_details <- function(got, x) {
  n <- length(x)
  lags <- length(got$autocorrelation)
  varies <- n > 1 && min(x) < max(x)
  box <- if (varies && n > lags) Box.test(x, lag = lags, type = "Ljung-Box") else NULL
  independence <- got$independence
  compare("independence.ljung_box_q", if (is.null(box)) NA else unname(box$statistic), member(independence, "ljung_box_q"))
  p <- if (is.null(box)) NA else pchisq(unname(box$statistic), lags, lower.tail = FALSE)
  compare("independence.p", p, member(independence, "p"), tolerance = 1e-8)
  compare("independence.autocorrelation_bound", if (n) z / sqrt(n) else NA, member(independence, "autocorrelation_bound"))
  r <- abs(unlist(lapply(got$autocorrelation, function(v) if (is.null(v)) NA else v)))
  within <- which(r <= z / sqrt(n))
  compare("independence.independent_lag", if (length(within)) within[1] else NA, member(independence, "independent_lag"))
  shape <- got$normality
  logs <- if (n > 2 && n <= 5000 && varies && min(x) > 0) shapiro.test(log(x)) else list(statistic = NA, p.value = NA)
  compare("normality.log_shapiro_w", unname(logs$statistic), member(shape, "log_shapiro_w"), tolerance = 1e-8)
  compare("normality.log_p", logs$p.value, member(shape, "log_p"), tolerance = 1e-5)
  mean_interval <- function(name, mean, interval, object) {
    compare(paste0("normality.", name, ".mean"), mean, member(object, "mean"))
    compare(paste0("normality.", name, ".ci_low"), interval[1], member(object, "ci_low"), floor = 1)
    compare(paste0("normality.", name, ".ci_high"), interval[2], member(object, "ci_high"), floor = 1)
  }
  half <- function(v) mean(v) + c(-1, 1) * qt((1 + confidence) / 2, n - 1) * sd(v) / sqrt(n)
  mean_interval("arithmetic", if (n) mean(x) else NA, if (n > 1) half(x) else c(NA, NA), shape$arithmetic)
  positive <- n > 0 && min(x) > 0
  mean_interval("geometric", if (positive) exp(mean(log(x))) else NA, if (positive && n > 1) exp(half(log(x))) else c(NA, NA),
                shape$geometric)
  for (point in shape$qq) { # a point of R's qqnorm
    all <- qqnorm(sort(x), plot.it = FALSE)
    at <- which.min(abs(all$x - point[[1]]))
    compare("normality.qq.normal", all$x[at], point[[1]], floor = 1)
    compare("normality.qq.sample", all$y[at], point[[2]])
  }
  bytes <- if (is.null(got$bytes)) NA else got$bytes
  rate <- if (!is.na(bytes) && bytes > 0 && n > 0) 1 / mean(1 / (bytes / (x * 1e-9))) else NA # the harmonic mean of rates
  compare("rate.bytes_per_s", rate, member(got$rate, "bytes_per_s"))
  wanted <- got$precision$wanted
  if (!is.null(wanted) && n > 1) {
    needed <- max(2, ceiling((sd(x) * qt((1 + confidence) / 2, n - 1) / (wanted * mean(x)))^2))
    compare("precision.instances_for_mean", needed, member(got$precision, "instances_for_mean"))
  }
}

# Variance between and within runs, by the analysis of variance; whether the run matters.
check_levels <- function(got, complete) {
  runs <- split(complete$completion, complete$run)
  k <- length(runs)
  n <- lengths(runs)
  N <- sum(n)
  if (k < 2 || N <= k) return(compare("levels", NULL, got$levels))
  within <- sum(sapply(runs, function(v) sum((v - mean(v))^2))) / (N - k)
  between <- (sum(n * (sapply(runs, mean) - mean(unlist(runs)))^2) / (k - 1) - within) / ((N - sum(n^2) / N) / (k - 1))
  if (between <= 0) {
    between <- 0
    within <- var(unlist(runs))
  }
  levels <- member(got, "levels")
  g <- factor(rep(seq_along(runs), n))
  kruskal <- kruskal.test(unlist(runs), g)
  phi <- mean(sapply(runs, function(v) max(1, dependence(v), na.rm = TRUE)))
  table <- summary(aov(unlist(runs) ~ g))[[1]]
  compare("levels.runs", k, levels$runs)
  compare("levels.variance_between", between, levels$variance_between, floor = within)
  compare("levels.variance_within", within, levels$variance_within)
  compare("levels.intraclass", between / (between + within), levels$intraclass, floor = 1)
  compare("levels.F", table$`F value`[1], levels$F, tolerance = 1e-8)
  compare("levels.p", table$`Pr(>F)`[1], levels$p, tolerance = 1e-8)
  compare("levels.kruskal_p", kruskal$p.value, levels$kruskal_p, tolerance = 1e-8)
  compare("levels.dependence", phi, levels$dependence)
  compare("levels.kruskal_p_dependent", pchisq(unname(kruskal$statistic) / phi, k - 1, lower.tail = FALSE),
          levels$kruskal_p_dependent, tolerance = 1e-8)
  medians <- sapply(runs, median)
  compare("levels.run_median_low", min(medians), levels$run_median_low)
  compare("levels.run_median_high", max(medians), levels$run_median_high)
  compare("levels.run_over_least_median", median(medians / min(medians)), levels$run_over_least_median)
  compare("levels.run_over_least_max", max(medians / min(medians)), levels$run_over_least_max)
  se <- sapply(runs, function(v) diff(median_interval(v, z))) / (2 * z)
  if (!anyNA(se)) {
    compare("levels.median_variance_within", mean(phi * se^2 * n), levels$median_variance_within)
    compare("levels.median_variance_between", max(0, var(medians) - mean(phi * se^2)), levels$median_variance_between,
            floor = var(medians))
  }
  wanted <- got$precision$wanted
  if (!is.null(wanted)) {
    needed <- max(2, ceiling((sd(medians) * qt((1 + confidence) / 2, k - 1) / (wanted * mean(medians)))^2))
    compare("precision.runs_for_medians", needed, member(got$precision, "runs_for_medians"))
  }
}

# Pairs of ranks: Dunn's after Kruskal-Wallis, mean ranks after Friedman; Holm.
check_pairs <- function(got, values, instances) {
  if (is.null(got$pairs)) return()
  k <- length(values)
  x <- unlist(values)
  N <- length(x)
  ranks <- split(rank(x), rep(seq_along(values), lengths(values)))
  ties <- table(x)
  scale <- N * (N + 1) / 12 - sum(ties^3 - ties) / (12 * (N - 1))
  rows <- k > 1 && instances > 1 && all(lengths(values) == instances)
  if (rows) {
    r <- t(apply(do.call(cbind, values), 1, rank))
    row_ties <- sum(apply(do.call(cbind, values), 1, function(v) { t <- table(v); sum(t^3 - t) }))
    row_scale <- k * (k + 1) / 12 - row_ties / (12 * instances * (k - 1))
    rows <- row_scale > 0
  }
  i <- rep(seq_len(k), k - seq_len(k))
  j <- unlist(lapply(seq_len(k), function(a) if (a < k) (a + 1):k else NULL))
  dunn <- mapply(function(a, b) (mean(ranks[[a]]) - mean(ranks[[b]])) /
                   sqrt(scale * (1 / length(ranks[[a]]) + 1 / length(ranks[[b]]))), i, j)
  friedman <- if (rows) mapply(function(a, b) (mean(r[, a]) - mean(r[, b])) / sqrt(row_scale * 2 / instances), i, j)
              else rep(NA, length(i))
  p <- function(z) 2 * pnorm(-abs(z))
  for (at in seq_along(got$pairs)) {
    pair <- got$pairs[[at]]
    name <- function(test, figure) sprintf("pairs[%d].%s.%s", at, test, figure)
    for (test in c("kruskal_wallis", "friedman")) {
      zs <- if (test == "friedman") friedman else if (scale > 0) dunn else rep(NA, length(i))
      compare(name(test, "z"), zs[at], pair[[test]]$z, tolerance = 1e-8, floor = 1)
      compare(name(test, "p_adjusted"), p.adjust(p(zs), "holm")[at], pair[[test]]$p_adjusted, tolerance = 1e-7)
    }
  }
}

check_test <- function(name, expected, got) {
  for (figure in names(expected))
    compare(paste("ranks", name, figure, sep = "."), expected[[figure]], member(got[[name]], figure), tolerance = 1e-8,
            floor = if (figure == "eta2") 0.01 else 0)
}

none <- function(...) setNames(as.list(rep(NA, ...length())), c(...))

check_rank_tests <- function(got, values, instances) { # a list, one element a rank, in the order of time
  k <- length(values)
  x <- unlist(values)
  N <- length(x)
  g <- factor(rep(seq_along(values), lengths(values)))
  anova <- none("F", "df1", "df2", "p", "effect_size", "eta2")
  kruskal <- none("H", "df", "p", "eta2")
  friedman <- none("chi2", "df", "p", "kendall_w")
  within <- if (k > 1) sum(sapply(values, function(v) sum((v - mean(v))^2))) else 0
  if (k > 1 && N > k && within > 0) {
    a <- summary(aov(x ~ g))[[1]]
    anova <- list(F = a$`F value`[1], df1 = a$Df[1], df2 = a$Df[2], p = a$`Pr(>F)`[1],
                  effect_size = diff(range(sapply(values, mean))) / sqrt(a$`Mean Sq`[2]), # 000 3.2.2
                  eta2 = a$`Sum Sq`[1] / sum(a$`Sum Sq`))
  }
  if (k > 1 && N > 1 && min(x) < max(x)) {
    t <- kruskal.test(x, g)
    kruskal <- list(H = unname(t$statistic), df = unname(t$parameter), p = t$p.value,
                    eta2 = if (N > k) unname((t$statistic - k + 1) / (N - k)) else NA)
  }
  if (k > 1 && instances > 1 && all(lengths(values) == instances)) { # every instance has the same members
    m <- do.call(cbind, values)
    t <- friedman.test(m)
    if (is.finite(t$statistic))
      friedman <- list(chi2 = unname(t$statistic), df = unname(t$parameter), p = t$p.value,
                       kendall_w = unname(t$statistic / (nrow(m) * (k - 1))))
    if (is.finite(t$statistic) && length(m) <= 2^17) { # of more a sample is taken
      n <- nrow(m)
      effective <- max(1, n / table_factor(m))
      enough <- !is.na(effective) && effective > 6 - 1e-6
      w <- friedman$kendall_w
      least <- exp(-lgamma(k + 1) * (effective - 1))
      friedman$n_effective <- effective
      friedman$p_dependent <- if (!enough) NA else if (w >= 1) least else
        max(least, pf((effective - 1) * w / (1 - w), k - 1, (k - 1) * (effective - 1), lower.tail = FALSE))
      kruskal$p_dependent <- if (enough) pchisq(kruskal$H * effective / n, k - 1, lower.tail = FALSE) else NA
      anova$p_dependent <- if (enough) pf(anova$F * effective / n, k - 1, (k - 1) * (effective - 1), lower.tail = FALSE) else NA
    }
  }
  check_test("anova", anova, got)
  check_test("kruskal_wallis", kruskal, got)
  check_test("friedman", friedman, got)
  friedman$p_dependent
}

check_per_rank <- function(got, part, size) {
  ranks <- sort(unique(part$rank))
  compare("ranks.per_rank (count)", length(ranks), length(got))
  by_rank <- split(part, part$rank)
  late <- sapply(by_rank, function(p) if (is.na(size) || size < 2) NA else
    binom.test(sum(p$is_last), nrow(p), 1 / size)$p.value)
  late <- p.adjust(late, "holm")
  if (bounded && anyNA(rows$start_bound_ns)) late[] <- NA # a clock that was never compared says nothing of order
  for (i in seq_along(ranks)) {
    if (i > length(got)) break
    p <- by_rank[[as.character(ranks[i])]]
    local <- p$end_ns - p$start_ns
    ci <- median_interval(local, z)
    name <- function(figure) paste0("ranks.per_rank[", ranks[i], "].", figure)
    compare(name("rank"), ranks[i], member(got[[i]], "rank"))
    compare(name("n"), nrow(p), member(got[[i]], "n"))
    compare(name("median"), median(local), member(got[[i]], "median"))
    compare(name("ci_low"), ci[1], member(got[[i]], "ci_low"))
    compare(name("ci_high"), ci[2], member(got[[i]], "ci_high"))
    compare(name("last_arrivals"), sum(p$is_last), member(got[[i]], "last_arrivals"))
    if ("last_arrivals_p" %in% names(got[[i]])) compare(name("last_arrivals_p"), late[[i]], got[[i]]$last_arrivals_p)
    for (figure in c("wait", "inside", "waiting", "caused"))
      compare(name(paste0(figure, "_ns")), sum(p[[figure]]), member(got[[i]], paste0(figure, "_ns")))
  }
}

check_runs <- function(got, complete) {
  if (is.null(got)) return()
  runs <- split(complete, complete$run)
  compare("runs (count)", length(runs), length(got))
  for (i in seq_along(got)) {
    part <- runs[[as.character(got[[i]]$run)]]
    ci <- if (is.null(part)) c(NA, NA) else median_interval(part$completion, z)
    name <- function(figure) paste0("runs[", got[[i]]$run, "].", figure)
    compare(name("instances"), if (is.null(part)) 0 else nrow(part), got[[i]]$instances)
    compare(name("median"), if (is.null(part)) NA else median(part$completion), got[[i]]$median)
    compare(name("ci_low"), ci[1], got[[i]]$ci_low)
    compare(name("ci_high"), ci[2], got[[i]]$ci_high)
    if (!is.null(got[[i]]$tukey)) {
      x <- part$completion
      q <- quantile(x, c(0.25, 0.75))
      kept <- x[x >= q[1] - 1.5 * diff(q) & x <= q[2] + 1.5 * diff(q)]
      compare(name("tukey.instances"), length(kept), got[[i]]$tukey$instances)
      compare(name("tukey.median"), median(kept), got[[i]]$tukey$median)
      compare(name("tukey.mean"), mean(kept), got[[i]]$tukey$mean)
    }
  }
}

shared <- function(x) if (length(unique(x)) == 1) x[1] else NA

check_group <- function(got, all) {
  whole <- all[all$complete, ]
  complete <- whole[!whole$spoilt, ]
  complete <- complete[order(complete$run, complete$start), ]
  for (k in c("op", "site", "comm", "comm_size", "bytes", "root")) {
    expected <- shared(all[[k]])
    if (k == "root") expected <- suppressWarnings(as.numeric(expected))
    compare(k, expected, member(got, k))
  }
  compare("instances", nrow(complete), member(got, "instances"))
  compare("incomplete", sum(!all$complete), member(got, "incomplete"))
  if (!is.null(got$site_differs)) compare("site_differs", any(whole$site_differs), got$site_differs)
  flagged <- tapply(rows$flags, rows$id, function(x) Reduce(bitwOr, x))[rownames(whole)]
  compare("flagged.perturbed", sum(bitwAnd(flagged, 8L) > 0), member(got$flagged, "perturbed"))
  compare("flagged.late_start", sum(bitwAnd(flagged, 16L) > 0), member(got$flagged, "late_start"))
  for (metric in c("completion", "spread", "operation", "exit_skew", "local_max")) {
    object <- member(got, paste0(metric, "_ns"))
    if (is.null(object)) compare(paste0(metric, "_ns"), if (nrow(complete)) "figures" else NA, NULL)
    else check_metric(paste0(metric, "_ns"), object, complete[[metric]],
                      if (metric == "local_max") 0 * complete$start else complete$bound) # one clock has read both ends
  }
  check_shape(got, complete$completion)
  check_details(got, complete$completion)
  check_levels(got, complete)
  chosen <- as.integer(rownames(complete))
  part <- rows[rows$id %in% chosen, ]
  part <- part[order(match(part$id, chosen)), ]
  size <- shared(complete$comm_size)
  check_per_rank(got$ranks$per_rank, part, if (nrow(complete)) size else NA)
  check_runs(got$runs, complete)
  compare("wait.total_ns", sum(part$wait), member(got$wait, "total_ns"))
  compare("wait.inside_ns", sum(part$inside), member(got$wait, "inside_ns"))
  compare("wait.waiting_ns", sum(part$waiting), member(got$wait, "waiting_ns"))
  if (bounded && nrow(complete)) { # of sums, the errors of all ranks but the last's add up
    sum_bound <- sum(complete$bound * (complete$comm_size - 1))
    reported <- member(got$wait, "clock_bound_ns")
    if (is.na(size)) # of communicators of several sizes the report has no less than the sum
      compare("wait.clock_bound_ns", max(sum_bound, reported), reported)
    else
      compare("wait.clock_bound_ns", sum_bound, reported)
    sure <- part$is_last & (complete$lead > ifelse(is.na(complete$bound), Inf, complete$bound))[match(part$id, chosen)]
    for (rank in got$ranks$per_rank)
      compare(paste0("ranks.per_rank[", rank$rank, "].last_arrivals_sure"),
              sum(sure[part$rank == rank$rank]), member(rank, "last_arrivals_sure"))
  }
  values <- split(part$end_ns - part$start_ns, part$rank)
  check_pairs(got$ranks, values, nrow(complete))
  check_rank_tests(got$ranks, values, nrow(complete))
}

# ---- all groups ----
keys <- vapply(report$groups, function(g)
  paste(vapply(by, function(k) format_key(if (is.null(g[[k]])) NA else g[[k]]), ""), collapse = "\r"), "")
where <- "groups"
compare("count", length(members), length(keys))
for (missing in setdiff(names(members), keys)) compare(gsub("\r", " ", missing), "a group", NULL)
friedman_p <- rep(NA, length(keys))
for (i in seq_along(keys)) {
  where <- gsub("\r", " ", keys[i])
  if (is.null(members[[keys[i]]])) {
    compare("group", NULL, "a group")
    next
  }
  p <- check_group(report$groups[[i]], instance[members[[keys[i]]], ])
  friedman_p[i] <- if (is.null(p)) NA else p
}
adjusted <- p.adjust(friedman_p, "holm")
for (i in seq_along(keys)) {
  where <- gsub("\r", " ", keys[i])
  test <- report$groups[[i]]$ranks$friedman
  if ("p_adjusted" %in% names(test)) compare("ranks.friedman.p_adjusted", adjusted[i], test$p_adjusted, tolerance = 1e-8)
}
if (differ > LISTED) cat(sprintf("... and %d more\n", differ - LISTED))
cat(sprintf("figures compared: %d, differ: %d\n", compared, differ))
quit(status = if (differ > 0) 1 else 0)
