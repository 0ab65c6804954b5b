/* libFuzzer as a library: part of the compiler's runtime, declared in none of its headers. */
#include <stddef.h>
#include <stdint.h>

/* Reads libFuzzer's own options from the arguments and calls `run` with one input after the other. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t count));
