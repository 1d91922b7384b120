# dependence.R - how much less dependent values say than independent ones, for R scripts beside it.
# By its definition: docs/methods-statistics.md, "Dependence".
stretches <- function(y) { # 1, or by how much the means of long stretches vary more than neighbours do
  factor <- 1
  for (count in c(5, 10, 20)) if (length(y) >= 2 * count) {
    size <- length(y) %/% count
    x <- y[seq_len(size * count)] - mean(y[seq_len(size * count)])
    r <- min(max(sum(x[-1] * x[-length(x)]) / sum(x^2), 0), 0.999)
    ratio <- sum(colSums(matrix(x, size))^2) / size / mean(x^2)
    if (ratio > (1 + r) / (1 - r) * qchisq(0.7, count - 1)) factor <- max(factor, ratio / qchisq(0.2, count - 1))
  }
  factor
}
# errors: by how many standard errors rho is taken higher; waves: long stretches count.
long_run <- function(means, size, variance, errors, waves) {
  n <- length(means)
  v <- mean((means - mean(means))^2)
  if (variance <= 0 || v <= 0) return(1)
  r <- acf(means, lag.max = n - 1, plot = FALSE)$acf[, 1, 1]
  rho <- (n * r[2] + 1) / (n - 4)
  rho <- min(max(rho + errors * sqrt(max(0, 1 - min(rho, 1)^2) / n), 0), 0.999)
  tau <- -1
  for (lag in seq(0, length.out = max(0, ceiling((n %/% 2 - 1) / 2)), by = 2)) {
    pair <- r[lag + 1] + r[lag + 2]
    if (pair <= 0) break
    tau <- tau + 2 * pair
  }
  tau <- max(1, tau)
  tau <- tau / (1 - min(0.9, 2 * tau / n))
  max(1, max(tau, (1 + rho) / (1 - rho), if (waves) stretches(means - mean(means))) * size * v / variance)
}
dependence <- function(x, errors = 1, waves = FALSE) {
  n <- length(x)
  if (n < 8) return(NA)
  size <- if (n < 2048) 1 else n %/% 1024
  count <- n %/% size
  q <- quantile(x, c(0.05, 0.95), names = FALSE)
  y <- if (n < 8192) pmin(pmax(x, q[1]), q[2]) else as.numeric(x > median(x))
  y <- y - y[1]
  means <- colMeans(matrix(y[seq_len(size * count)], size))
  if (n >= 8192) y <- y[seq_len(size * count)]
  long_run(means, size, mean((y - mean(y))^2), errors, waves)
}
# How much wider an interval of the median is than that of independent values, in sqrt(n); and whether there is one.
interval_width <- function(x) dependence(x, errors = 2, waves = TRUE)
effective <- function(n, factor) max(1, n / factor)
dependent_z <- function(confidence, x) {
  n <- length(x)
  presence <- if (n) dependence(x, errors = 1.5) else NA
  if (is.na(presence) || n / presence < 6 - 1e-6) return(NA)
  width <- interval_width(x)
  if (n <= width) Inf else qt(1 - (1 - confidence) / 2, n / width - 1) * sqrt(width)
}
