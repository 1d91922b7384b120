# example.R TRACE - how long each rank waited for late ranks, out of the single calls. With the trace that comes with syncopate:
#
#     Rscript readers/r/example.R docs/samples/uneven
arguments <- commandArgs(trailingOnly = FALSE)
here <- dirname(sub("^--file=", "", grep("^--file=", arguments, value = TRUE)))
source(file.path(here, "syncopate.R"))

calls <- syn_calls(commandArgs(trailingOnly = TRUE)[1])
waiting_ns <- tapply(calls$waiting_ns, calls$rank, sum, na.rm = TRUE)
cat(sprintf("%s %.0f\n", names(waiting_ns), waiting_ns), sep = "")
