#ifndef SIGHTLINE_ALLOCATION_COUNT_H
#define SIGHTLINE_ALLOCATION_COUNT_H

#include <stdint.h>

/* Calls that took memory from the heap since the process started, in all threads.
 *
 * Counted by stand-ins for malloc and its relatives, which come before the C library's own in whatever links or preloads
 * this: for measurements only. Where ALLOCATION_COUNT_FILE names a file, the count is kept in its first eight
 * bytes, so that another process can read it. */
uint64_t sl_allocation_count(void);

/* Bytes that the calling thread has asked the heap for since it started, whether they were given back or not; 0 where
 * nothing is counted. A block that grows in place counts with its whole new size. */
uint64_t sl_allocated_bytes(void);

/* Calls `work(context)`. A profiler that counts within this function alone sees nothing else of a benchmark:
 * valgrind --tool=callgrind --toggle-collect=sl_measured */
void sl_measured(void (*work)(void *), void *context);

#endif
