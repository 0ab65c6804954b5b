#ifndef SIGHTLINE_SPAWN_CHILD_H
#define SIGHTLINE_SPAWN_CHILD_H

#include <sys/types.h>

/* Starts a program with posix_spawn: in a process group of its own, with default signals, standard input from /dev/null,
 * and no descriptor of this process but the two given as standard output and standard error.
 *
 * `program`: a path, or a name that is looked up in PATH. `folder`: its working directory; NULL for this process's own.
 * Returns 0 and sets `id`, or returns an errno. */
int sl_spawn_child(
    const char *program, char *const arguments[], char *const environment[], const char *folder, int output, int error,
    pid_t *id);

#endif
