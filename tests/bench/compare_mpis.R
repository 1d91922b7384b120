# compare_mpis.R - a picture of one operation's sizes, A against B.
# usage: Rscript compare_mpis.R DIFF.csv PICTURE.png NAME_OF_A NAME_OF_B
# DIFF.csv: syncopate diff --sort bytes --format csv. Points are medians of the runs' medians, lines their 95 % intervals
# over runs; below, the ratio with its interval, and the stars.
arguments <- commandArgs(trailingOnly = TRUE)
rows <- read.csv(arguments[1], stringsAsFactors = FALSE)
rows <- rows[!is.na(rows$ratio) & rows$bytes > 0, ]
rows <- rows[order(rows$bytes), ]
label <- function(b) ifelse(b < 1024, paste0(b, " B"), paste0(b / 1024, " KiB"))
colours <- c(a = "#3b6fb5", b = "#d4842c")

png(arguments[2], width = 1400, height = 1000, res = 140)
layout(matrix(1:2), heights = c(3, 2))
par(mar = c(0.6, 5, 3, 1), las = 1)
x <- seq_len(nrow(rows))
times <- rows[, c("a_median", "a_ci_low", "a_ci_high", "b_median", "b_ci_low", "b_ci_high")] / 1000
plot(NULL, xlim = range(x) + c(-0.4, 0.4), ylim = range(times, na.rm = TRUE) * c(0.9, 1.15), log = "y", xaxt = "n",
     xlab = "", ylab = "time in the call, us", main = sprintf("%s, %d ranks, %d runs a side", rows$op[1], rows$comm_size[1],
                                                                rows$a_runs[1]))
abline(h = axTicks(2), col = "#e4e8ec")
for (side in c("a", "b")) {
  at <- x + if (side == "a") -0.12 else 0.12
  segments(at, times[[paste0(side, "_ci_low")]], at, times[[paste0(side, "_ci_high")]], col = colours[side], lwd = 3)
  points(at, times[[paste0(side, "_median")]], pch = if (side == "a") 19 else 17, col = colours[side], cex = 1.2)
}
legend("topleft", arguments[3:4], pch = c(19, 17), col = colours, bty = "n")

par(mar = c(5, 5, 0.6, 1))
change <- rows[, c("ratio", "ratio_low", "ratio_high")]
limits <- range(change, 1) * c(0.9, 1.3)
plot(NULL, xlim = range(x) + c(-0.4, 0.4), ylim = limits, log = "y", xaxt = "n", xlab = "bytes a rank",
     ylab = sprintf("%s / %s", arguments[4], arguments[3]))
abline(h = 1, col = "#9aa4af")
segments(x, change$ratio_low, x, change$ratio_high, lwd = 3, col = "#12305c")
points(x, change$ratio, pch = 15, col = "#12305c")
text(x, change$ratio_high, rows$stars, pos = 3, cex = 0.9)
axis(1, at = x, labels = label(rows$bytes), cex.axis = 0.75)
invisible(dev.off())
