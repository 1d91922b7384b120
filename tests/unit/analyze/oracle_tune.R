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

# The interval of another mean of as many pairs; the program's time beyond the benchmark's stays, or goes.
promise <- function(now, with, program) {
  both <- !is.na(now) & !is.na(with)
  now <- log(now[both])
  with <- log(with[both])
  n <- length(now)
  test <- t.test(with, now, paired = TRUE)
  middle <- mean(with - now)
  half <- qt(0.975, n - 1) * sd(with - now) * sqrt(1 / n + 1 / n)
  low <- exp(middle - half)
  stays <- (exp(mean(with)) + program - exp(mean(now))) / program
  low <- if (program > exp(mean(now))) low * exp(mean(now)) / program else min(low, max(stays, low / 2))
  list(n = n, now = exp(mean(now)), ratio = exp(middle), p = test$p.value, low = low, high = max(exp(middle + half), stays))
}

made <- lapply(groups, function(group) {
  alone <- promise(numbers(group$now_ns), numbers(group$candidate_ns), group$operation_ns)
  row <- promise(numbers(group$now_row_ns), numbers(group$candidate_row_ns), group$operation_ns)
  far <- abs(log(group$operation_ns / row$now))
  if (far <= log(2) || far <= abs(log(group$operation_ns / alone$now))) {
    alone$low <- min(alone$low, row$low)
    alone$high <- max(alone$high, row$high)
  }
  alone
})
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
