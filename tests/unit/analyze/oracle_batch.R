#!/usr/bin/env Rscript
# oracle_batch.R ORACLE CASES - runs an oracle with each line of CASES as its arguments, in one R, whose start and libraries take as
# long as a small trace. Exit status 1 where one of them has another than 0; or than 1, if the line begins with "!": falsified.
given <- commandArgs(trailingOnly = TRUE)
oracle <- parse(given[1], keep.source = FALSE)
suppressPackageStartupMessages(library(jsonlite))

# The oracle asks for its arguments, and ends R: in its own environment both are ours.
run_case <- function(case) {
  scope <- new.env()
  scope$commandArgs <- function(trailingOnly = FALSE) if (trailingOnly) strsplit(case, " ")[[1]] else paste0("--file=", given[1])
  scope$quit <- function(status = 0, ...) stop(structure(class = c("ended", "condition"), list(message = "", call = NULL, status = status)))
  tryCatch({
    eval(oracle, scope)
    0
  }, ended = function(end) end$status, error = function(e) {
    message(conditionMessage(e))
    2
  })
}

failed <- Filter(function(case) {
  files <- sub("^! ", "", case)
  cat(basename(strsplit(files, " ")[[1]][1]), if (files != case) " (falsified)", ": ", sep = "")
  run_case(files) != (files != case)
}, readLines(given[2]))
if (length(failed) > 0) cat("not as the oracle has it:", failed, sep = "\n")
quit(status = length(failed) > 0)
