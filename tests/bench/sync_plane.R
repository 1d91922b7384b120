# tests/bench/sync_plane.R - the plane of Hunold & Carpen-Amarie (2015), Fig. 8 out of bench_sync_plane's CSV.
#   Rscript sync_plane.R plane.csv sync-plane.png
arguments <- commandArgs(trailingOnly = TRUE)
plane <- read.csv(arguments[1])
barrier <- median(plane$error_5s_ns[plane$method == "barrier"])
runs <- plane[plane$method != "barrier", ]
by <- list(method = runs$method, fitpoints = runs$fitpoints, exchanges = runs$exchanges,
           budget = runs$budget_s)
medians <- aggregate(runs[c("duration_s", "messages", "error_0s_ns", "error_5s_ns", "error_10s_ns",
                            "error_20s_ns", "error_midrun_ns", "bound_ns")], by, median)
methods <- c("skampi", "netgauge", "jk", "hca", "hca2", "hca3", "auto")
colours <- c("grey40", "grey65", "#1b9e77", "#d95f02", "#7570b3", "#e7298a", "black")
names(colours) <- methods

panel <- function(column, title) {
  error_us <- pmax(medians[[column]], 1) / 1000
  plot(medians$duration_s, error_us, log = "xy", type = "n", xlab = "duration of begin (s)",
       ylab = "largest error of any rank (us)", main = title, ylim = range(0.005, 1000), las = 1, yaxt = "n")
  axis(2, at = 10^(-2:3), labels = c("0.01", "0.1", "1", "10", "100", "1000"), las = 1)
  abline(h = barrier / 1000, lty = 2, col = "grey50")
  left <- !(column %in% c("error_0s_ns", "error_midrun_ns")) # where no line is in the way
  text(range(medians$duration_s)[2 - left], barrier / 1000, "exit skew of a barrier",
       adj = c(1 - left, -0.4), cex = 0.8, col = "grey30")
  for (method in methods) {
    rows <- which(medians$method == method)
    rows <- rows[order(medians$duration_s[rows])]
    lines(medians$duration_s[rows], error_us[rows], col = colours[method], lwd = 1.5)
    points(medians$duration_s[rows], error_us[rows], col = colours[method],
           pch = if (method == "auto") 19 else 1)
  }
}

png(arguments[2], width = 1300, height = 900, res = 110)
par(mfrow = c(2, 3), mar = c(4.2, 4.2, 2.5, 0.8))
panel("error_0s_ns", "at once")
panel("error_5s_ns", "after 5 s, extrapolated")
panel("error_10s_ns", "after 10 s, extrapolated")
panel("error_20s_ns", "after 20 s, extrapolated")
panel("error_midrun_ns", "after 10 s, measured again at 20 s")
plot.new()
legend("left", methods, col = colours, lty = 1, pch = c(1, 1, 1, 1, 1, 1, 19), bty = "n", cex = 1.3)
invisible(dev.off())
print(medians[order(medians$method, medians$duration_s), ], row.names = FALSE, digits = 3)
