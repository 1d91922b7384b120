# Traces of syncopate as data frames.
#
#   source("syncopate.R")
#   calls  <- syn_calls("syncopate-trace")       # a row a rank's part in a collective
#   groups <- syn_groups("syncopate-trace")      # a row a call site, communicator and size, with its figures
#   causes <- syn_causes("syncopate-trace")      # what made ranks late
#   whole  <- syn_report("syncopate-trace")      # the report's JSON, as it is
#
# The program `syncopate` reads the trace; it must be in PATH, or named by the variable SYNCOPATE_COMMAND. Needs
# jsonlite. Times are nanoseconds, as doubles: exact up to 2^53. What the columns mean: docs/reports.md of syncopate.

.syn_run <- function(arguments) {
    command <- Sys.getenv("SYNCOPATE_COMMAND", "syncopate")
    if (Sys.which(command) == "")
        stop("the command ", command, " is not there: put syncopate into PATH, or name it by SYNCOPATE_COMMAND", call. = FALSE)
    output <- tempfile()
    on.exit(unlink(output))
    status <- system2(command, c(arguments, "-o", output), stdout = FALSE, stderr = "")
    if (status > 1)
        stop("syncopate ", arguments[1], " could not read the trace (exit status ", status, ")")
    output <- readLines(output, warn = FALSE, encoding = "UTF-8")
    paste(output, collapse = "\n")
}

# Every rank's part in every collective of a trace or an experiment, ordered by rank and start.
syn_calls <- function(trace) {
    text <- .syn_run(c("export", "--format", "csv", shQuote(trace)))
    header <- strsplit(sub("\n.*", "", text), ",")[[1]]
    classes <- ifelse(header %in% c("op", "comm", "site", "phase"), "character", "numeric")
    read.csv(text = text, colClasses = classes, na.strings = "")
}

# The report as `syncopate report --format json` gives it. by: keys, such as "op,rank"; options: further ones.
syn_report <- function(trace, by = NULL, options = character()) {
    keys <- if (is.null(by)) character() else c("--by", by)
    jsonlite::fromJSON(.syn_run(c("report", "--format", "json", keys, options, shQuote(trace))),
                       simplifyVector = FALSE)
}

# list(completion_ns = list(median = 1)) to list(completion_ns.median = 1); lists without names are left out.
.syn_flat <- function(group) {
    row <- list()
    for (key in names(group)) {
        value <- group[[key]]
        if (is.list(value) && !is.null(names(value))) {
            plain <- value[!vapply(value, is.list, TRUE)]
            for (name in names(plain))
                row[[paste(key, name, sep = ".")]] <- if (is.null(plain[[name]])) NA else plain[[name]]
        } else if (!is.list(value)) {
            row[[key]] <- if (is.null(value)) NA else value
        }
    }
    row
}

.syn_rows <- function(rows) {
    columns <- unique(unlist(lapply(rows, names)))
    as.data.frame(setNames(lapply(columns, function(column)
        unlist(lapply(rows, function(row) if (is.null(row[[column]])) NA else row[[column]]))), columns),
        stringsAsFactors = FALSE, check.names = FALSE)
}

# A row a group, largest time first: its keys, and figures such as completion_ns.median, wait.share.
syn_groups <- function(trace, by = NULL, options = character())
    .syn_rows(lapply(syn_report(trace, by, options)$groups, .syn_flat))

# A row a cause of waiting, of all runs: kind, pattern, waiting_ns, share, excess_ns.median, ...; ranks as text.
syn_causes <- function(trace, options = character())
    .syn_rows(unlist(lapply(syn_report(trace, NULL, options)$runs, function(run)
        lapply(run$causes, function(cause)
            c(list(run = run$run, ranks = paste(unlist(cause$ranks), collapse = ",")), .syn_flat(cause)))),
        recursive = FALSE))

# A row a run: parallel efficiency and its factors.
syn_efficiency <- function(trace, options = character())
    .syn_rows(lapply(syn_report(trace, NULL, options)$runs, function(run)
        c(list(run = run$run), .syn_flat(run$efficiency))))
