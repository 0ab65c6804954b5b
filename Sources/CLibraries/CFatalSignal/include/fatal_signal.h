#ifndef SIGHTLINE_FATAL_SIGNAL_H
#define SIGHTLINE_FATAL_SIGNAL_H

/* Writes a log line to standard error when a fatal signal ends the process, and leaves the rest to what handled the signal
 * before: a backtrace or a core file.
 *
 * `logger`: the program's name in the line; of a longer one the first 63 bytes. `is_json`: the form of the line. */
void sl_log_fatal_signals(const char *logger, int is_json);

#endif
