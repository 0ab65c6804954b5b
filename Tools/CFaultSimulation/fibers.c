#define _GNU_SOURCE
#include "internal.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

static const size_t stack_size = 4 << 20;

struct sl_fiber {
    ucontext_t context;
    void *stack;
    void *(*entry)(void *);
    void *argument;
    int64_t wall_offset;
    int64_t skew;
    bool is_dead;
    bool has_ended;
};

static _Thread_local sl_fiber *current;
static ucontext_t scheduler;

static void run(void) {
    sl_fiber *fiber = current;
    fiber->entry(fiber->argument);
    fiber->has_ended = true;
    swapcontext(&fiber->context, &scheduler);
}

sl_fiber *sl_fiber_create(void *(*entry)(void *), void *argument) {
    sl_fiber *fiber = calloc(1, sizeof(*fiber));
    fiber->entry = entry;
    fiber->argument = argument;
    /* The kernel provides memory only for the pages of a stack that are used. */
    fiber->stack = mmap(NULL, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fiber->stack == MAP_FAILED || getcontext(&fiber->context) != 0) abort();
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = stack_size;
    makecontext(&fiber->context, run, 0);
    return fiber;
}

bool sl_fiber_resume(sl_fiber *fiber) {
    current = fiber;
    swapcontext(&scheduler, &fiber->context);
    current = NULL;
    if (!fiber->has_ended) return false;
    munmap(fiber->stack, stack_size);
    free(fiber);
    return true;
}

void sl_fiber_yield(void) { swapcontext(&current->context, &scheduler); }

sl_fiber *sl_fiber_current(void) { return current; }

void sl_fiber_kill(sl_fiber *fiber) { fiber->is_dead = true; }

void sl_fiber_shift_wall_clock(sl_fiber *fiber, int64_t nanoseconds) { fiber->wall_offset += nanoseconds; }

int64_t sl_fiber_time_offset(bool is_wall_clock) {
    if (current == NULL) return 0;
    if (current->is_dead) current->skew += 5000000;
    return current->skew + (is_wall_clock ? current->wall_offset : 0);
}
