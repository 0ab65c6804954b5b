#ifndef SIGHTLINE_ALLOCATION_COUNT_H
#define SIGHTLINE_ALLOCATION_COUNT_H

#include <stdint.h>

/* Returns the number of heap allocations of all threads; 0 on platforms without glibc.
 *
 * This library replaces malloc and related functions in a program that links or preloads it; for measurements only. If
 * ALLOCATION_COUNT_FILE is set, the first eight bytes of that file contain the count, which continues from the stored
 * value. */
uint64_t sl_allocation_count(void);

/* Returns the bytes that the calling thread has allocated since it started, including freed bytes; 0 without glibc.
 * realloc counts the whole new size. */
uint64_t sl_allocated_bytes(void);

/* Calls `work(context)`, so that a profiler can measure only this part of a benchmark:
 * valgrind --tool=callgrind --toggle-collect=sl_measured */
void sl_measured(void (*work)(void *), void *context);

#endif
