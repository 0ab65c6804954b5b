#define _GNU_SOURCE
#include "allocation_count.h"

#if defined(__GLIBC__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic uint64_t own_count;
static _Atomic uint64_t *count = &own_count;
static _Thread_local uint64_t thread_bytes __attribute__((tls_model("initial-exec")));

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

uint64_t sl_allocation_count(void) { return atomic_load_explicit(count, memory_order_relaxed); }

uint64_t sl_allocated_bytes(void) { return thread_bytes; }

/* The functions that this library replaces: those of the C library, or of an allocator that the program links. */
static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);
static void *(*next_aligned)(size_t, size_t);

/* 1 while dlsym resolves the functions; dlsym succeeds although its own allocations then fail. */
static _Thread_local int is_looking_up __attribute__((tls_model("initial-exec")));

static void look_up(void) {
    is_looking_up = 1;
    next_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    next_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    next_aligned = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "memalign");
    next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    is_looking_up = 0;
}

/* Counts a call for `size` bytes; returns 1 if dlsym made the call while the functions are being resolved. */
static inline int count_call(size_t size) {
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    thread_bytes += size;
    if (is_looking_up) return 1;
    if (next_malloc == NULL) look_up();
    return 0;
}

void *malloc(size_t size) { return count_call(size) ? NULL : next_malloc(size); }

void *calloc(size_t number, size_t size) { return count_call(number * size) ? NULL : next_calloc(number, size); }

void *realloc(void *block, size_t size) { return count_call(size) ? NULL : next_realloc(block, size); }

void free(void *block) {
    if (block == NULL) return;
    if (next_free == NULL) look_up();
    next_free(block);
}

void *memalign(size_t alignment, size_t size) { return count_call(size) ? NULL : next_aligned(alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *memory = memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *block = memory;
    return 0;
}

/* C++ new and new[], with and without nothrow, because another allocator may define them without calling malloc. */
void *_Znwm(size_t size) {
    void *block = malloc(size);
    if (block == NULL) abort();
    return block;
}

void *_Znam(size_t size) { return _Znwm(size); }

void *_ZnwmRKSt9nothrow_t(size_t size, const void *tag) {
    (void)tag;
    return malloc(size);
}

void *_ZnamRKSt9nothrow_t(size_t size, const void *tag) { return _ZnwmRKSt9nothrow_t(size, tag); }

#else

uint64_t sl_allocation_count(void) { return 0; }

uint64_t sl_allocated_bytes(void) { return 0; }

#endif

__attribute__((noinline)) void sl_measured(void (*work)(void *), void *context) {
    work(context);
    /* Prevents a tail call, after which the profiler would not see the return. */
    __asm__ volatile("" ::: "memory");
}
