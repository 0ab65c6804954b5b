#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct sl_fiber {
    pthread_t thread;
    sem_t turn;
    void *(*entry)(void *);
    void *argument;
    int64_t wall_offset;
    int64_t skew;
    bool is_dead;
    bool has_ended;
};

static _Thread_local sl_fiber *current;
static sem_t scheduler_turn;
static bool is_ready;

static void await(sem_t *turn) {
    while (sem_wait(turn) != 0) {
    }
}

static void *run(void *argument) {
    sl_fiber *fiber = argument;
    current = fiber;
    await(&fiber->turn);
    fiber->entry(fiber->argument);
    fiber->has_ended = true;
    current = NULL;
    sem_post(&scheduler_turn);
    return NULL;
}

sl_fiber *sl_fiber_create(void *(*entry)(void *), void *argument) {
    if (!is_ready) sem_init(&scheduler_turn, 0, 0);
    is_ready = true;
    sl_fiber *fiber = calloc(1, sizeof(*fiber));
    fiber->entry = entry;
    fiber->argument = argument;
    sem_init(&fiber->turn, 0, 0);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 4 << 20);
    if (sl_real_pthread_create(&fiber->thread, &attributes, run, fiber) != 0) abort();
    pthread_attr_destroy(&attributes);
    return fiber;
}

bool sl_fiber_resume(sl_fiber *fiber) {
    sem_post(&fiber->turn);
    await(&scheduler_turn);
    if (!fiber->has_ended) return false;
    pthread_join(fiber->thread, NULL);
    sem_destroy(&fiber->turn);
    free(fiber);
    return true;
}

void sl_fiber_yield(void) {
    sem_post(&scheduler_turn);
    await(&current->turn);
}

sl_fiber *sl_fiber_current(void) { return current; }

void sl_fiber_kill(sl_fiber *fiber) { fiber->is_dead = true; }

void sl_fiber_shift_wall_clock(sl_fiber *fiber, int64_t nanoseconds) { fiber->wall_offset += nanoseconds; }

int64_t sl_fiber_time_offset(bool is_wall_clock) {
    if (current == NULL) return 0;
    if (current->is_dead) current->skew += 5000000;
    return current->skew + (is_wall_clock ? current->wall_offset : 0);
}
