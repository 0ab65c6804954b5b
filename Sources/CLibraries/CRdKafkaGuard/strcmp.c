#include "kafka_guard.h"

#include <dlfcn.h>
#include <stddef.h>

/* The attribute prevents the compiler from replacing the loop with a call of strcmp(). */
__attribute__((no_builtin)) int sl_compare_texts(const char *left, const char *right) {
    if (left == NULL || right == NULL) return (left != NULL) - (right != NULL);
    while (*left != 0 && *left == *right) {
        ++left;
        ++right;
    }
    return (int)(unsigned char)*left - (int)(unsigned char)*right;
}

/* Compares two strings like the C library, but accepts NULL.
 *
 * librdkafka up to 2.16.0 passes NULL to strcmp() if a broker answers a fetch of a deleted topic with a zero topic id
 * and a leader: rd_kafka_metadata_update_op() then looks up a topic without a name and crashes with SIGSEGV. With this
 * function, librdkafka finds no topic and continues. The dynamic loader prefers the executable's function to the C
 * library's, as for a replaced malloc(). */
__attribute__((no_builtin, visibility("default"))) int strcmp(const char *left, const char *right) {
    return sl_compare_texts(left, right);
}

int sl_kafka_guard_is_used(void) { return dlsym(RTLD_DEFAULT, "strcmp") == (void *)strcmp; }
