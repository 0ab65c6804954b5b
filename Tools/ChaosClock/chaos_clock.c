#define _GNU_SOURCE
#include "chaos_clock.h"

#if defined(__GLIBC__)

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t no_offset;
static _Atomic int64_t *offset = &no_offset;

__attribute__((constructor)) static void share_offset(void) {
    const char *path = getenv("CHAOS_CLOCK_FILE");
    if (path == NULL || path[0] == '\0') return;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) offset = page;
    close(file);
}

static int64_t seconds(void) { return atomic_load_explicit(offset, memory_order_relaxed); }

/* A system call, because allocators request the time before the dynamic linker can resolve the original function. */
int clock_gettime(clockid_t clock, struct timespec *now) {
    if (syscall(SYS_clock_gettime, clock, now) != 0) return -1;
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += seconds();
    return 0;
}

int timespec_get(struct timespec *now, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (result != NULL) *result = now.tv_sec;
    return now.tv_sec;
}

/* Converts a deadline from the shifted clock to the real clock. Deadlines below 400,000,000 s (a time in 1982) belong
   to the monotonic clock, which counts from boot. */
int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
    struct timespec shifted = *deadline;
    if (shifted.tv_sec < 400000000) return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &shifted);
    shifted.tv_sec -= seconds();
    return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, &shifted);
}

#endif
