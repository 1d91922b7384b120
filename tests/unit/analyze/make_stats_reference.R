#!/usr/bin/env Rscript
# make_stats_reference.R - what R says of many samples: the numbers that the statistics are held to.
#
#   Rscript tests/unit/analyze/make_stats_reference.R tests/unit/analyze/data
#
# Writes stats_samples.csv (name, values...) and stats_reference.csv (figure, sample|sample.., argument, value). The
# tests read these files and need no R. Needs quantreg, lme4 and boot (Debian: r-cran-quantreg, r-cran-lme4, r-cran-boot).
# Run again only to add figures: the seed is fixed, so nothing else changes.
suppressPackageStartupMessages({library(quantreg); library(lme4); library(boot)})
options(warn = -1)
set.seed(20)
folder <- commandArgs(trailingOnly = TRUE)[1]

samples <- list()
reference <- character()
add <- function(name, x) {
  # R computes with the values as written: each goes through its text first.
  samples[[name]] <<- as.numeric(sprintf("%.17g", x))
}
get <- function(name) samples[[name]]
say <- function(figure, names, argument, value) {
  text <- ifelse(is.na(value), "nan", sprintf("%.17g", value))
  reference <<- c(reference, sprintf("%s,%s,%s,%s", figure, paste(names, collapse = "|"), argument, text))
}

# ---- samples ----
ar1 <- function(n, rho) as.numeric(stats::filter(rnorm(n, sd = sqrt(1 - rho^2)), rho, method = "recursive"))
kinds <- list(
  normal    = function(n) rnorm(n, 1000, 50),
  lognormal = function(n) rlnorm(n, 7, 0.5),
  ar1       = function(n) 5000 + 300 * ar1(n, 0.9),
  constant  = function(n) rep(123.25, n),
  twovalued = function(n) ifelse(runif(n) < 0.3, 20, 10),
  tied      = function(n) round(rlnorm(n, 2, 0.4)),
  huge      = function(n) 1e15 + floor(rlnorm(n, 7, 1)))
for (n in c(1:7, 10, 50, 99, 100))
  for (kind in names(kinds)) add(paste0(kind, "_", n), kinds[[kind]](n))
for (kind in c("lognormal", "ar1", "normal")) add(paste0(kind, "_1000"), round(kinds[[kind]](1000), 2))
for (kind in c("tied", "twovalued", "huge")) add(paste0(kind, "_1000"), kinds[[kind]](1000))
for (kind in c("lognormal", "ar1", "tied")) add(paste0(kind, "_5000"), round(kinds[[kind]](5000)))
columns <- names(samples)

# ---- one column ----
z <- qnorm(0.975)
interval_ranks <- function(n, width) pmin(n, pmax(1, c(floor((n - width) / 2), ceiling(1 + (n + width) / 2))))
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(trailingOnly = FALSE), value = TRUE)))
source(file.path(here, "dependence.R"))
for (name in columns) {
  x <- get(name); n <- length(x); s <- sort(x)
  # R's own sd, acf and shapiro.test lose digits at 1e15 (they round the mean to a double, 0.1 apart there), and table()
  # takes values for tied that agree in 15 digits. None of these figures depends on a shift, and this one is exact.
  origin <- if (grepl("huge", name)) 1e15 else 0
  centred <- x - origin
  for (p in c(0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1)) say("quantile", name, p, quantile(x, p, type = 7, names = FALSE))
  say("median", name, "", median(x))
  say("mean", name, "", mean(x))
  say("sd", name, "", sd(centred))
  say("cv", name, "", if (mean(x) > 0) sd(centred) / mean(x) else NA)
  say("tail_share", name, "", if (mean(x) > 0) sum(pmax(x - median(x), 0)) / sum(x) else NA)
  q <- quantile(x, c(0.25, 0.75), names = FALSE)
  say("outliers_tukey", name, "", sum(x < q[1] - 1.5 * (q[2] - q[1]) | x > q[2] + 1.5 * (q[2] - q[1])))
  for (confidence in c(0.9, 0.95, 0.99)) {
    ci <- if (n < 6) c(NA, NA) else s[interval_ranks(n, qnorm(1 - (1 - confidence) / 2) * sqrt(n))]
    say("ci_low", name, confidence, ci[1]); say("ci_high", name, confidence, ci[2])
  }
  for (p in c(0.05, 0.5, 0.9)) {
    l <- qbinom(0.025, n, p); u <- 1 + qbinom(0.975, n, p)
    ok <- l >= 1 && u <= n
    say("exact_low", name, p, if (ok) s[l] else NA); say("exact_high", name, p, if (ok) s[u] else NA)
  }
  phi <- dependence(x)
  say("dependence_factor", name, "", phi)
  say("n_effective", name, "", effective(n, interval_width(x)))
  wide <- dependent_z(0.95, x)
  ci <- if (is.na(wide)) c(NA, NA) else s[interval_ranks(n, wide * sqrt(n))]
  say("ci_dependent_low", name, 0.95, ci[1]); say("ci_dependent_high", name, 0.95, ci[2])
  constant <- min(x) == max(x)
  r <- if (constant || n < 2) rep(NA, 10) else c(acf(centred, lag.max = 10, plot = FALSE)$acf[-1], rep(NA, 10))[1:10]
  for (lag in 1:10) say("acf", name, lag, r[lag])
  for (lags in c(1, 5)) {
    box <- if (constant || n <= lags) list(statistic = NA, p.value = NA) else Box.test(centred, lags, "Ljung-Box")
    say("ljung_box_q", name, lags, box$statistic); say("ljung_box_p", name, lags, pchisq(box$statistic, lags, lower.tail = FALSE)) # Box.test's 1 - p cancels
  }
  sh <- if (n < 3 || constant) list(statistic = NA, p.value = NA) else shapiro.test(centred)
  say("shapiro_w", name, "", sh$statistic); say("shapiro_p", name, "", sh$p.value)
  positive <- all(x > 0)
  sh <- if (n < 3 || constant) list(statistic = NA, p.value = NA) else shapiro.test(log(x))
  if (!grepl("huge", name)) { say("shapiro_log_w", name, "", sh$statistic); say("shapiro_log_p", name, "", sh$p.value) }
  ci <- if (n < 2 || constant) c(if (n < 2) NA else mean(x), if (n < 2) NA else mean(x)) else t.test(centred)$conf.int + origin
  say("t_low", name, 0.95, ci[1]); say("t_high", name, 0.95, ci[2])
  ci <- if (n < 2 || constant) c(if (n < 2) NA else mean(x), if (n < 2) NA else mean(x)) else exp(t.test(log(x))$conf.int)
  say("geometric_mean", name, "", exp(mean(log(x)))); say("geometric_low", name, 0.95, ci[1])
  say("mean_rate", name, 64, 64 / (mean(x) * 1e-9))
  qq <- qqnorm(s, plot.it = FALSE)
  for (i in unique(c(1, ceiling(n / 3), n))) say("qq_normal", name, i, qq$x[i])
  if (n >= 2) for (e in c(0.01, 0.1))
    say("count_for_mean", name, e, max(2, ceiling((sd(x) * qt(0.975, n - 1) / (e * mean(x)))^2)))
  if (n >= 6) for (e in c(0.02, 0.2)) {
    does <- function(N) {
      w <- z * sqrt(max(1, phi, na.rm = TRUE)) * sqrt(N)
      f <- (interval_ranks(N, w) - 1) / (N - 1)
      q <- quantile(x, f, names = FALSE)
      q[1] >= median(x) * (1 - e) && q[2] <= median(x) * (1 + e)
    }
    high <- 6; low <- 6
    while (!does(high) && high < 2^53) { low <- high; high <- high * 2 }
    if (!does(high)) high <- Inf
    else while (high - low > 1) { middle <- floor((low + high) / 2); if (does(middle)) high <- middle else low <- middle }
    say("count_for_median", name, e, high)
  }
  if (n >= 2) {
    r <- rank(x)
    d <- 0:floor(n / 2)
    criterion <- sapply(d, function(d) { y <- r[(d + 1):n]; sum((y - mean(y))^2) / (n - d)^2 })
    if (n <= 1000 && !constant) say("mser_criterion_of_ranks", name, "", min(criterion))
  }
}

# ---- across samples ----
group <- function(prefix, values) {
  names <- sprintf("%s_%d", prefix, seq_along(values))
  for (i in seq_along(values)) add(names[i], values[[i]])
  names
}
groups <- list(
  group("equal", lapply(1:3, function(i) rnorm(12, 100 + 3 * i, 10))),
  group("unequal", list(rnorm(5, 10), rnorm(9, 11), rnorm(40, 10.5), rnorm(2, 12))),
  group("tiedgroups", lapply(1:4, function(i) round(rlnorm(30, 2 + 0.1 * i, 0.5)))),
  group("manyties", lapply(1:8, function(i) round(rlnorm(100, 1, 0.3)))),
  group("far", list(1e15 + 1:8, 1e15 + 100 + 1:8)),
  group("single", list(c(1, 2, 3), 4)),
  group("two", list(rlnorm(25, 7, 0.4), rlnorm(25, 7.2, 0.4))))
for (names in groups) {
  values <- lapply(names, get); x <- unlist(values); g <- factor(rep(seq_along(values), lengths(values)))
  if (grepl("far", names[1])) { x <- x - 1e15; values <- lapply(values, function(v) v - 1e15) } # as above
  a <- summary(aov(x ~ g))[[1]]
  say("anova_f", names, "", a$`F value`[1]); say("anova_p", names, "", a$`Pr(>F)`[1])
  say("anova_df1", names, "", a$Df[1]); say("anova_df2", names, "", a$Df[2])
  say("anova_eta2", names, "", a$`Sum Sq`[1] / sum(a$`Sum Sq`))
  k <- kruskal.test(x, g)
  say("kruskal_h", names, "", k$statistic); say("kruskal_p", names, "", k$p.value)
  say("kruskal_eta2", names, "", (k$statistic - nlevels(g) + 1) / (length(x) - nlevels(g)))
  N <- length(x); r <- rank(x); t <- table(x); m <- tapply(r, g, mean); n <- lengths(values)
  scale <- N * (N + 1) / 12 - sum(t^3 - t) / (12 * (N - 1))
  pairs <- combn(length(values), 2)
  zs <- (m[pairs[1, ]] - m[pairs[2, ]]) / sqrt(scale * (1 / n[pairs[1, ]] + 1 / n[pairs[2, ]]))
  adjusted <- p.adjust(2 * pnorm(-abs(zs)), "holm")
  for (i in seq_along(zs)) { say("dunn_z", names, i, zs[i]); say("dunn_p_adjusted", names, i, adjusted[i]) }
  if (length(unique(n)) == 1) {
    m <- do.call(cbind, values)
    f <- friedman.test(m)
    say("friedman_chi2", names, "", f$statistic); say("friedman_p", names, "", f$p.value)
    say("kendall_w", names, "", f$statistic / (nrow(m) * (ncol(m) - 1)))
    r <- t(apply(m, 1, rank)); R <- colMeans(r); k <- ncol(m); b <- nrow(m)
    ties <- sum(apply(m, 1, function(row) { t <- table(row); sum(t^3 - t) }))
    scale <- k * (k + 1) / 12 - ties / (12 * b * (k - 1))
    zs <- (R[pairs[1, ]] - R[pairs[2, ]]) / sqrt(2 * scale / b)
    for (i in seq_along(zs)) say("friedman_pair_z", names, i, zs[i])
  }
  # variance levels: REML where balanced, the ANOVA estimator elsewhere
  a <- summary(aov(I(x - mean(x)) ~ g))[[1]]
  n0 <- (N - sum(n^2) / N) / (length(n) - 1)
  between <- (a$`Mean Sq`[1] - a$`Mean Sq`[2]) / n0
  if (between <= 0) { between <- 0; within <- sum(a$`Sum Sq`) / (N - 1) } else within <- a$`Mean Sq`[2]
  say("variance_between", names, "", between); say("variance_within", names, "", within)
  if (between > 0) say("best_repetitions", names, "", max(1, sqrt(10 / 0.5 * within / between)))
  if (length(unique(n)) == 1 && !grepl("far", names[1])) {
    fit <- lmer(x ~ 1 + (1 | g), control = lmerControl(optCtrl = list(xtol_abs = 1e-12, ftol_abs = 1e-14)))
    v <- as.data.frame(VarCorr(fit))$vcov
    say("lmer_between", names, "", v[1]); say("lmer_within", names, "", v[2])
  }
}

# ---- A against B ----
pairs <- list(
  group("ab3", list(rlnorm(3, 7, 0.1), rlnorm(3, 7.1, 0.1))),
  group("ab4", list(c(10, 11, 12, 13), c(14, 15.5, 17, 19))),
  group("ab5", list(rlnorm(5, 7, 0.1), rlnorm(5, 7.1, 0.1))),
  group("ab10", list(rlnorm(10, 7, 0.1), rlnorm(10, 7.05, 0.1))),
  group("ab7x12", list(rlnorm(7, 7, 0.2), rlnorm(12, 7.2, 0.2))),
  group("ab49", list(rlnorm(49, 7, 0.1), rlnorm(49, 7.02, 0.1))),
  group("ab55", list(exp(7 + 0.3 * sin(1:55)), exp(7.1 + 0.3 * sin(3 * (1:55) + 1)))),
  group("ab60", list(rlnorm(60, 7, 0.3), rlnorm(55, 7.1, 0.3))),
  group("abties", list(round(rlnorm(10, 3, 0.2)), round(rlnorm(10, 3.2, 0.2)))),
  group("abmanyties", list(round(rlnorm(80, 2, 0.2)), round(rlnorm(90, 2.1, 0.2)))),
  group("abapart", list(c(5, 5, 5, 5, 5), c(6, 6, 6, 6, 6))),
  group("absame", list(1:6 + 0.5, 1:6 + 0.25)))
for (names in pairs) {
  a <- get(names[1]); b <- get(names[2])
  for (side in c("two.sided", "less", "greater")) {
    w <- wilcox.test(b, a, alternative = side)
    say("wilcox_p", names, side, w$p.value)
  }
  say("wilcox_u", names, "", w$statistic)
  say("vargha_delaney", names, "", mean(outer(b, a, ">") + 0.5 * outer(b, a, "==")))
  apart <- grepl("apart", names[1])
  for (confidence in c(0.9, 0.95)) {
    if (apart) next # no spread inside the samples: R's root finder has nothing to find
    w <- wilcox.test(log(b), log(a), conf.int = TRUE, conf.level = confidence, tol.root = 1e-14)
    exact <- grepl("exact", w$method)
    say("ratio_low", names, confidence, exp(w$conf.int[1])); say("ratio_high", names, confidence, exp(w$conf.int[2]))
    say("ratio_estimate", names, confidence, exp(median(outer(log(b), log(a), "-"))))
    if (exact) say("ratio_estimate", names, confidence, exp(w$estimate))
  }
  if (length(a) == length(b) && !grepl("same|apart", names[1])) { # as pairs of runs
    for (side in c("two.sided", "less", "greater")) {
      w <- wilcox.test(log(b) - log(a), alternative = side)
      say("pairs_p", names, side, w$p.value)
    }
    say("pairs_v", names, "", w$statistic)
    d <- log(b) - log(a)
    walsh <- outer(d, d, "+")
    say("pairs_estimate", names, "", median(walsh[!lower.tri(walsh)]) / 2)
    for (confidence in if (any(d == 0)) c() else c(0.9, 0.95)) { # of which R leaves zeros out
      w <- suppressWarnings(wilcox.test(d, conf.int = TRUE, conf.level = confidence, tol.root = 1e-14))
      say("pairs_low", names, confidence, w$conf.int[1]); say("pairs_high", names, confidence, w$conf.int[2])
    }
  }
  for (tau in c(0.07, 0.26, 0.37, 0.51, 0.93)) {
    if (any(abs(c(length(a), length(b)) * tau - round(c(length(a), length(b)) * tau)) < 1e-9)) next
    fit <- coef(rq(c(a, b) ~ factor(rep(1:2, c(length(a), length(b)))), tau = tau))
    say("rq_intercept", names, tau, fit[1]); say("rq_effect", names, tau, fit[2])
  }
}

# ---- counts and adjusted p-values ----
for (case in list(c(0, 10, 0.25), c(10, 10, 0.25), c(3, 10, 0.25), c(7, 10, 0.25), c(250, 1000, 0.25), c(300, 1000, 0.25),
                  c(200, 1000, 0.25), c(5, 10, 0.5), c(6, 10, 0.5), c(510000, 1000000, 0.5), c(1, 1, 0.125), c(0, 1, 0.125),
                  c(260, 1000, 1 / 4), c(12, 5000, 1 / 512)))
  say("binom_p", "", sprintf("%d/%d/%.17g", case[1], case[2], case[3]), binom.test(case[1], case[2], case[3])$p.value)
add("pvalues", c(0.01, 0.02, 0.03, 0.04, 0.05, 0.01, 0.5, 0.9, 1e-8, 0.0401))
for (i in 1:10) {
  say("holm", "pvalues", i, p.adjust(get("pvalues"), "holm")[i])
  say("bh", "pvalues", i, p.adjust(get("pvalues"), "BH")[i])
}
for (n in c(2, 3, 4, 5, 10, 30)) say("smallest_p", "", n, 2 / choose(2 * n, n))

# ---- the confidence sequence of a median: the first count below it that 1 / (1 - confidence) does not exclude ----
sequence_rank <- function(n, confidence) {
  m <- vapply(0:n, function(k) exp(lbeta(k + 1, n - k + 1) + n * log(2)), 0)
  k <- 0
  while (2 * k < n && m[k + 1] >= 1 / (1 - confidence)) k <- k + 1
  k
}
for (n in c(1, 5, 7, 8, 9, 12, 20, 50, 101, 500)) {
  say("sequence_rank_95", "", n, sequence_rank(n, 0.95))
  say("sequence_rank_99", "", n, sequence_rank(n, 0.99))
}

# ---- bootstrap: the percentile interval of given replicates ----
add("replicates_999", round(rnorm(999, 50, 4), 6))
add("replicates_200", round(rexp(200, 0.1), 6))
for (name in c("replicates_999", "replicates_200")) {
  t <- get(name)
  fake <- structure(list(t0 = mean(t), t = matrix(t), R = length(t), data = t, sim = "ordinary", call = quote(boot())), class = "boot")
  for (confidence in c(0.5, 0.9, 0.95)) {
    ci <- boot.ci(fake, conf = confidence, type = "perc")$percent
    say("percentile_low", name, confidence, ci[4]); say("percentile_high", name, confidence, ci[5])
  }
}

writeLines(vapply(names(samples), function(name) paste(c(name, sprintf("%.17g", samples[[name]])), collapse = ","), ""),
           file.path(folder, "stats_samples.csv"))
writeLines(reference, file.path(folder, "stats_reference.csv"))
cat(length(samples), "samples,", length(reference), "figures\n")
