#ifndef SIGHTLINE_SPAWN_CHILD_H
#define SIGHTLINE_SPAWN_CHILD_H

#include <sys/types.h>

/* Starts a program with posix_spawn in a new process group, with default signal actions. Standard input is /dev/null,
 * standard output is `output`, standard error is `error`; no other descriptors are inherited.
 *
 * `program`: a path, or a name that is searched in PATH. `folder`: the working directory, or NULL for this process's.
 * Returns 0 and sets `id`, or returns an errno. */
int sl_spawn_child(
    const char *program, char *const arguments[], char *const environment[], const char *folder, int output, int error,
    pid_t *id);

#endif
