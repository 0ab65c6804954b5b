#include "jemalloc_control.h"

/* Read by jemalloc when the process starts; what the environment's MALLOC_CONF says comes after it.
 *
 * Memory that a backlog took goes back to the system within a second, by a thread in the background: by default it takes
 * ten seconds of allocating, and an idle worker stays at twice its size. One arena for the few busy threads and small
 * caches of theirs keep less that is free: 3 MB and 2 MB of a worker with 1,000 drivers, at the same speed. */
const char *malloc_conf =
    "background_thread:true,dirty_decay_ms:500,muzzy_decay_ms:0,narenas:1,tcache_max:8192";
