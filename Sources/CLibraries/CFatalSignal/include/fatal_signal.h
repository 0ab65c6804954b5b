#ifndef SIGHTLINE_FATAL_SIGNAL_H
#define SIGHTLINE_FATAL_SIGNAL_H

/* Installs handlers that log a fatal signal to standard error and then pass it to the previous handler, which may write
 * a backtrace or a core file. Later calls have no effect.
 *
 * `logger`: the program's name in the line, truncated to 63 bytes. `is_json`: whether the line is JSON. */
void sl_log_fatal_signals(const char *logger, int is_json);

#endif
