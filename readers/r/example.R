# example.R TRACE - how long each rank waited for late ranks, out of the single calls. With the trace that comes with syncopate:
#
#     Rscript readers/r/example.R docs/samples/uneven
arguments <- commandArgs(trailingOnly = FALSE)
here <- dirname(sub("^--file=", "", grep("^--file=", arguments, value = TRUE)))
source(file.path(here, "syncopate.R"))

calls <- syn_calls(commandArgs(trailingOnly = TRUE)[1])
instance <- interaction(calls$run, calls$comm, calls$seq, drop = TRUE)
last_ns <- ave(calls$start_ns, instance, FUN = max) # when the last rank came
calls$waiting_ns <- pmax(0, pmin(calls$end_ns, last_ns) - calls$start_ns)
waiting_ns <- tapply(calls$waiting_ns, calls$rank, sum)
cat(sprintf("%s %.0f\n", names(waiting_ns), waiting_ns), sep = "")
