# The picture of analysis_size.sh's table: Rscript analysis_size.R analysis_size.csv analysis_size.png
arguments <- commandArgs(trailingOnly = TRUE)
cost <- read.csv(arguments[1])
cost <- cost[cost$threads == max(cost$threads), ]
events_axis <- function() axis(1, at = cost$events, labels = parse(text = sprintf("10^%d", round(log10(cost$events)))))
png(arguments[2], width = 900, height = 420, res = 100)
par(mfrow = c(1, 2), mar = c(4.2, 5.2, 1.2, 0.8), las = 1, mgp = c(3.8, 0.8, 0))
plot(cost$events, cost$cpu_s, log = "xy", type = "b", pch = 19, xlab = "", ylab = "CPU seconds of the report",
     axes = FALSE, ylim = range(cost$cpu_s, cost$events * 1e-7))
box()
events_axis()
axis(2, at = 10^(-2:3), labels = c("0.01", "0.1", "1", "10", "100", "1000"))
mtext("events", 1, 2.6)
lines(cost$events, cost$events * 1e-7, lty = 2, col = "grey40")
legend("topleft", c("measured", "100 ns an event"), lty = 1:2, pch = c(19, NA), col = c("black", "grey40"), bty = "n")
plot(cost$events, cost$peak_mb, log = "xy", type = "b", pch = 19, xlab = "", ylab = "peak memory, MB", axes = FALSE,
     ylim = range(cost$peak_mb, 2000))
box()
events_axis()
axis(2, at = c(10, 20, 50, 100, 200, 500, 1000, 2000))
mtext("events", 1, 2.6)
abline(h = 1024, lty = 2, col = "grey40")
legend("topleft", c("measured", "--memory 1G"), lty = 1:2, pch = c(19, NA), col = c("black", "grey40"), bty = "n")
invisible(dev.off())
