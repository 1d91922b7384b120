#!/usr/bin/env Rscript
# oracle_tune.R - are the promises of `tune --format json` those that R makes of the launches' medians in it?
#
#   syncopate tune --format json TRACE -- mpirun -n 4 >answer.json
#   Rscript tests/unit/analyze/oracle_tune.R answer.json
#
# Every group must have had one candidate, so that Holm is over the groups. Prints the differences and "figures compared: N, differ: M";
# exit status 1 where M > 0. Shares no code with the program. Needs jsonlite.
suppressPackageStartupMessages(library(jsonlite))
options(digits = 17)
groups <- fromJSON(commandArgs(trailingOnly = TRUE)[1], simplifyVector = FALSE)$groups
compared <- 0
differ <- 0
check <- function(what, expected, got) {
  compared <<- compared + 1
  got <- if (is.null(got)) NA else got
  same <- if (is.na(expected) || is.na(got)) is.na(expected) && is.na(got) else abs(expected - got) <= 1e-9 * abs(expected)
  if (!same) {
    differ <<- differ + 1
    cat(sprintf("%s: R %s, tune %s\n", what, format(expected), format(got)))
  }
}
numbers <- function(list) vapply(list, function(x) if (is.null(x)) NA_real_ else as.numeric(x), 0)

# The interval holds the ratio of six runs, within the launches' ratios, with fresh data and in a row; the program's time beyond the benchmark's stays, or goes; 0.15 of the gain's logarithm.
within <- function(ratio) {
  pairs <- log(ratio)
  half <- qt(0.975, length(pairs) - 1) * sd(pairs) * sqrt(1 / length(pairs) + 1 / 6)
  c(max(min(ratio), exp(mean(pairs) - half)), min(max(ratio), exp(mean(pairs) + half)))
}
promise <- function(group) {
  ratios <- function(now, with) list(now = now[!is.na(now) & !is.na(with)], ratio = (with / now)[!is.na(now) & !is.na(with)])
  fresh <- ratios(numbers(group$now_ns), numbers(group$candidate_ns))
  row <- ratios(numbers(group$now_row_ns), numbers(group$candidate_row_ns))
  program <- group$operation_ns
  test <- t.test(log(fresh$ratio))
  middle <- exp(test$estimate[[1]])
  if (program > 2 * max(row$now) && program / max(row$now) > min(fresh$now) / program) row <- NULL
  now <- range(fresh$now, row$now)
  ends <- range(within(fresh$ratio), if (!is.null(row)) within(row$ratio))
  if (program > now[2]) ends <- c(ends[1] * now[2] / program, max(ends[2], (ends[2] * now[2] + program - now[2]) / program))
  if (program < now[1]) ends <- ends * c(program / now[1], now[1] / program)
  ends <- ends * exp(c(-0.15, 0.15) * abs(log(middle)))
  list(n = length(fresh$ratio), ratio = middle, p = test$p.value, low = ends[1], high = ends[2])
}

made <- lapply(groups, promise)
adjusted <- p.adjust(vapply(made, function(x) x$p, 0), "holm")
for (i in seq_along(groups)) {
  check(paste(i, "launches"), made[[i]]$n, groups[[i]]$launches)
  check(paste(i, "ratio"), made[[i]]$ratio, groups[[i]]$ratio)
  check(paste(i, "low"), made[[i]]$low, groups[[i]]$ratio_low)
  check(paste(i, "high"), made[[i]]$high, groups[[i]]$ratio_high)
  check(paste(i, "p"), adjusted[i], groups[[i]]$p_adjusted)
}
cat(sprintf("figures compared: %d, differ: %d\n", compared, differ))
quit(status = differ > 0 || compared == 0)
