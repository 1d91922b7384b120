# The picture of analysis_growth.sh's table: Rscript analysis_growth.R growth.csv growth.png
arguments <- commandArgs(trailingOnly = TRUE)
cost <- read.csv(arguments[1])
cost <- aggregate(cbind(ns_an_event, peak_mb) ~ what + count + version, cost, median)
versions <- sort(unique(cost$version))
colour <- if (length(versions) > 1) c("grey55", "black") else "black"
draw <- function(what, figure, title, label) {
  here <- cost[cost$what == what, ]
  plot(here$count, here[[figure]], log = "xy", type = "n", xlab = label, ylab = title, yaxt = "n",
       ylim = c(min(here[[figure]]) / 1.5, max(here[[figure]]) * 1.5))
  axis(2, at = c(10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000))
  for (i in seq_along(versions)) {
    line <- here[here$version == versions[i], ]
    lines(line$count, line[[figure]], type = "b", pch = 19, col = colour[i])
  }
  if (length(versions) > 1)
    legend("topleft", c("before", "now"), lty = 1, pch = 19, col = colour, bty = "n")
}
png(arguments[2], width = 900, height = 1120, res = 100)
par(mfrow = c(3, 2), mar = c(4.2, 5.2, 1.2, 0.8), las = 1, mgp = c(3.4, 0.8, 0))
draw("ranks", "ns_an_event", "processor ns an event", "ranks")
draw("ranks", "peak_mb", "peak memory, MB", "ranks")
draw("sites", "ns_an_event", "processor ns an event", "call sites, of 8 ranks")
draw("sites", "peak_mb", "peak memory, MB", "call sites, of 8 ranks")
draw("comms", "ns_an_event", "processor ns an event", "communicators, of 8 ranks")
draw("comms", "peak_mb", "peak memory, MB", "communicators, of 8 ranks")
invisible(dev.off())
