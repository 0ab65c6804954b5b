#pragma once

/* Preloaded into a worker, this moves its wall clock by the whole seconds that stand in the file that CHAOS_CLOCK_FILE
   names, eight bytes in the machine's own order, read anew with every look at the clock. Monotonic clocks stay. */
