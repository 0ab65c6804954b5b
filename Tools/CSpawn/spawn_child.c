/* In C, because Swift does not import the functions posix_spawn_file_actions_add*_np. */
#define _GNU_SOURCE
#include "spawn_child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

static int add_actions(posix_spawn_file_actions_t *actions, const char *folder, int output, int error) {
    int result = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (result == 0) result = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (result == 0) result = posix_spawn_file_actions_adddup2(actions, error, STDERR_FILENO);
    if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    if (result == 0 && folder != NULL) result = posix_spawn_file_actions_addchdir_np(actions, folder);
    return result;
}

int sl_spawn_child(
    const char *program, char *const arguments[], char *const environment[], const char *folder, int output, int error,
    pid_t *id) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int result = add_actions(&actions, folder, output, error);
    if (result == 0) result = posix_spawnp(id, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}
