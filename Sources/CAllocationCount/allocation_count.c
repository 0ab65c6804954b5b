#define _GNU_SOURCE
#include "allocation_count.h"

#if defined(__GLIBC__)

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The C library's own entry points under their other names: no lookup is needed that would allocate itself. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t own_count;
static _Atomic uint64_t *count = &own_count;

__attribute__((constructor)) static void share_count(void) {
    const char *path = getenv("ALLOCATION_COUNT_FILE");
    if (path == NULL || path[0] == '\0') return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (ftruncate(file, sizeof(uint64_t)) == 0) {
        void *page = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (page != MAP_FAILED) count = page;
    }
    close(file);
}

static inline void note(void) { atomic_fetch_add_explicit(count, 1, memory_order_relaxed); }

uint64_t sl_allocation_count(void) { return atomic_load_explicit(count, memory_order_relaxed); }

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    note();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    note();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    note();
    void *taken = __libc_memalign(alignment, size);
    if (taken == NULL) return ENOMEM;
    *block = taken;
    return 0;
}

#else

uint64_t sl_allocation_count(void) { return 0; }

#endif

__attribute__((noinline)) void sl_measured(void (*work)(void *), void *context) {
    work(context);
    /* Something to come back to: a tail call would leave the profiler inside. */
    __asm__ volatile("" ::: "memory");
}
