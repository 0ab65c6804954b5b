#ifndef SIGHTLINE_ALLOCATION_COUNT_H
#define SIGHTLINE_ALLOCATION_COUNT_H

#include <stdint.h>

/* Heap allocations of all threads since the process started.
 *
 * This library replaces malloc and related functions in a program that links or preloads it; for measurements only. If
 * ALLOCATION_COUNT_FILE is set, the count is in the first eight bytes of that file, for other processes. */
uint64_t sl_allocation_count(void);

/* Bytes that the calling thread has allocated since it started, including freed ones; 0 on platforms without counting.
 * realloc counts the whole new size. */
uint64_t sl_allocated_bytes(void);

/* Calls `work(context)`; lets a profiler measure only this part of a benchmark:
 * valgrind --tool=callgrind --toggle-collect=sl_measured */
void sl_measured(void (*work)(void *), void *context);

#endif
