#ifndef SIGHTLINE_FATAL_SIGNAL_H
#define SIGHTLINE_FATAL_SIGNAL_H

/* Installs handlers that write a log line to standard error when a fatal signal ends the process, and then call the
 * previous handler, which may write a backtrace or a core file.
 *
 * `logger`: the program's name in the line, truncated to 63 bytes. `is_json`: whether to write JSON. */
void sl_log_fatal_signals(const char *logger, int is_json);

#endif
