# The picture of analysis_size.sh's table: Rscript analysis_size.R analysis_size.csv analysis_size.png
arguments <- commandArgs(trailingOnly = TRUE)
cost <- read.csv(arguments[1])
cost <- cost[cost$threads == max(cost$threads), ]
png(arguments[2], width = 900, height = 420, res = 100)
par(mfrow = c(1, 2), mar = c(4.2, 4.4, 1.2, 0.8), las = 1)
plot(cost$events, cost$cpu_s, log = "xy", type = "b", pch = 19, xlab = "events", ylab = "CPU seconds of the report",
     xaxt = "n", ylim = range(cost$cpu_s, cost$events * 1e-7))
axis(1, at = cost$events, labels = parse(text = sprintf("10^%d", round(log10(cost$events)))))
lines(cost$events, cost$events * 1e-7, lty = 2, col = "grey40")
legend("topleft", c("measured", "100 ns an event"), lty = 1:2, pch = c(19, NA), col = c("black", "grey40"), bty = "n")
plot(cost$events, cost$peak_mb, log = "xy", type = "b", pch = 19, xlab = "events", ylab = "peak memory, MB",
     xaxt = "n", ylim = range(cost$peak_mb, 2000))
axis(1, at = cost$events, labels = parse(text = sprintf("10^%d", round(log10(cost$events)))))
abline(h = 1024, lty = 2, col = "grey40")
legend("topleft", c("measured", "--memory 1G"), lty = 1:2, pch = c(19, NA), col = c("black", "grey40"), bty = "n")
invisible(dev.off())
