#include "kafka_guard.h"

#include <dlfcn.h>
#include <stddef.h>

/* The attribute keeps the compiler from replacing the loop by a call of strcmp(). */
__attribute__((no_builtin)) int sl_compare_texts(const char *left, const char *right) {
    if (left == NULL || right == NULL) return (left != NULL) - (right != NULL);
    while (*left != 0 && *left == *right) {
        ++left;
        ++right;
    }
    return (int)(unsigned char)*left - (int)(unsigned char)*right;
}

/* Compares two strings as the C library does, and accepts a missing one.
 *
 * librdkafka up to 2.16.0 passes NULL to strcmp() where a broker answers a fetch of a topic that was deleted with a topic
 * id of zeros and a leader: rd_kafka_metadata_update_op() then looks for a topic without a name, and the process ends by
 * SIGSEGV. With this the library finds no such topic and goes on. The loader binds the library's calls to the
 * program's own function, as it does for an allocator. */
__attribute__((no_builtin, visibility("default"))) int strcmp(const char *left, const char *right) {
    return sl_compare_texts(left, right);
}

int sl_kafka_guard_is_used(void) { return dlsym(RTLD_DEFAULT, "strcmp") == (void *)strcmp; }
