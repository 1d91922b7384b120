# tests/bench/flat_memory.R - memory of a rank over time, out of flat_memory.sh's CSV.
#   Rscript flat_memory.R flat.csv flat-memory.png
arguments <- commandArgs(trailingOnly = TRUE)
memory <- read.csv(arguments[1])
columns <- c(trace_mib = "the trace on disk", shared_mib = "mapped: blocks of events, libraries",
             private_mib = "the rank's own memory")
columns <- columns[names(columns) %in% names(memory)]
colours <- rev(c("#7570b3", "#1b9e77", "grey55")[seq_along(columns)])
png(arguments[2], width = 900, height = 480, res = 110)
par(mar = c(4.2, 4.2, 1, 0.8))
matplot(memory$seconds, pmax(as.matrix(memory[names(columns)]), 0.1), type = "l", log = "y", lty = 1,
        lwd = c(1.5, 2.5, 2.5), col = colours, las = 1, xlab = "seconds", ylab = "MiB")
legend("right", columns, col = colours, lty = 1, lwd = 2, bty = "n", cex = 0.9)
invisible(dev.off())
print(sapply(memory[names(columns)], range))
