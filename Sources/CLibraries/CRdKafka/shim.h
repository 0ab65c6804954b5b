#ifndef SIGHTLINE_CRDKAFKA_SHIM_H
#define SIGHTLINE_CRDKAFKA_SHIM_H

#include <string.h>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

/* Wrappers of variadic functions and function-like macros, which Swift cannot import, and of a number in a pointer,
 * which Swift imports badly; and a loop over C strings that runs once per record. */

/* Calls the variadic rd_kafka_producev(). Copies key and value; takes ownership of `headers` only on success. */
static inline rd_kafka_resp_err_t sl_produce(
    rd_kafka_t *client, rd_kafka_topic_t *topic, int32_t partition, const void *key, size_t key_size,
    const void *value, size_t value_size, int64_t timestamp_ms, rd_kafka_headers_t *headers, size_t token) {
    if (headers == NULL)
        return rd_kafka_producev(
            client, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
            RD_KAFKA_V_KEY(key, key_size), RD_KAFKA_V_VALUE((void *)value, value_size),
            RD_KAFKA_V_TIMESTAMP(timestamp_ms), RD_KAFKA_V_OPAQUE((void *)token), RD_KAFKA_V_END);
    return rd_kafka_producev(
        client, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_KEY(key, key_size), RD_KAFKA_V_VALUE((void *)value, value_size),
        RD_KAFKA_V_TIMESTAMP(timestamp_ms), RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_OPAQUE((void *)token),
        RD_KAFKA_V_END);
}

/* Makes the broker's next request of the type `request` (an API key) fail with `error`. */
static inline void sl_mock_broker_fail(
    rd_kafka_mock_cluster_t *cluster, int32_t broker, int16_t request, rd_kafka_resp_err_t error) {
    rd_kafka_mock_broker_push_request_error_rtts(cluster, broker, request, 1, error, 0);
}

/* Returns the token of sl_produce(), a number in a pointer that Swift would import as an optional pointer. */
static inline size_t sl_message_token(const rd_kafka_message_t *message) {
    return (size_t)message->_private;
}

/* Values of two headers of a message, valid as long as the message; NULL if absent. */
typedef struct {
    const void *first;
    size_t first_size;
    const void *second;
    size_t second_size;
} sl_header_pair;

/* Finds two headers in one pass; of headers with the same name, the last counts. */
static inline sl_header_pair sl_message_header_pair(
    const rd_kafka_message_t *message, const char *first_name, const char *second_name) {
    sl_header_pair pair = {NULL, 0, NULL, 0};
    rd_kafka_headers_t *headers = NULL;
    if (rd_kafka_message_headers(message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return pair;
    const char *name;
    const void *value;
    size_t size;
    for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; i++) {
        if (strcmp(name, first_name) == 0) {
            pair.first = value;
            pair.first_size = size;
        } else if (strcmp(name, second_name) == 0) {
            pair.second = value;
            pair.second_size = size;
        }
    }
    return pair;
}

#endif
