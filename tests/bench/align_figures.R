# tests/bench/align_figures.R - Hunold & Carpen-Amarie (2015), Fig. 9 and 10 out of three exports: PREFIX-none.csv, -barrier.csv, -window.csv.
#   Rscript align_figures.R PREFIX FIGURE.png
arguments <- commandArgs(trailingOnly = TRUE)
LATE <- 16

instances <- function(align, op) {
  rows <- read.csv(paste0(arguments[1], "-", align, ".csv"))
  rows <- rows[rows$op == op & rows$comm == "MPI_COMM_WORLD", ]
  late <- tapply(bitwAnd(rows$flags, LATE) > 0, rows$seq, any)
  rows <- rows[!late[as.character(rows$seq)], ]
  list(rows = rows,
       local = tapply(rows$end_ns - rows$start_ns, rows$seq, max) / 1000,
       global = (tapply(rows$end_ns, rows$seq, max) - tapply(rows$start_ns, rows$seq, min)) / 1000)
}

barrier <- instances("barrier", "MPI_Allreduce")
window <- instances("window", "MPI_Allreduce")
series <- list("barrier, local time" = barrier$local, "barrier, global time" = barrier$global,
               "windows, local time" = window$local, "windows, global time" = window$global)
colours <- c("#d95f02", "#d95f02", "#1b9e77", "#1b9e77")
types <- c(2, 1, 2, 1)
limits <- c(min(sapply(series, quantile, 0.005)), max(sapply(series, quantile, 0.97)))

png(arguments[2], width = 1250, height = 480, res = 110)
par(mfrow = c(1, 2), mar = c(4.2, 4.2, 2.5, 0.8))
densities <- lapply(series, function(x) density(x[x <= limits[2]], from = limits[1], to = limits[2]))
plot(NULL, xlim = limits, ylim = c(0, max(sapply(densities, function(d) max(d$y)))), las = 1,
     xlab = "time of an MPI_Allreduce (us)", ylab = "density", main = "MPI_Allreduce: what is timed decides")
for (i in seq_along(densities)) lines(densities[[i]], col = colours[i], lty = types[i], lwd = 2)
legend("topright", names(series), col = colours, lty = types, lwd = 2, bty = "n", cex = 0.9)

rows <- instances("window", "MPI_Barrier")$rows
after_us <- (rows$end_ns - ave(rows$end_ns, rows$seq, FUN = min)) / 1000
mean_us <- tapply(after_us, rows$rank, mean)
half_us <- tapply(after_us, rows$rank, function(x) qt(0.975, length(x) - 1) * sd(x) / sqrt(length(x)))
at <- barplot(mean_us, names.arg = names(mean_us), las = 1, col = "grey80", border = NA, xlab = "rank",
              ylab = "leaves after the first (us)", main = "MPI_Barrier: exit of each rank",
              ylim = c(0, 1.25 * max(mean_us + half_us)))
suppressWarnings(
  arrows(at, mean_us - half_us, at, mean_us + half_us, angle = 90, code = 3, length = 0.05)) # one may have no length
invisible(dev.off())
for (name in names(series))
  cat(sprintf("  Fig. 9   %-22s median %7.2f us, quartiles %.2f .. %.2f, n %d\n", name, median(series[[name]]),
              quantile(series[[name]], 0.25), quantile(series[[name]], 0.75), length(series[[name]])))
for (rank in names(mean_us))
  cat(sprintf("  Fig. 10  rank %-3s leaves %.3f us (+-%.3f) after the first, mean of %d\n", rank, mean_us[rank],
              half_us[rank], sum(rows$rank == as.integer(rank))))
