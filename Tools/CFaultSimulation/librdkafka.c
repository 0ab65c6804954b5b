#include "CFaultSimulation.h"

#include <stdarg.h>
#include <stdlib.h>

rd_kafka_error_t *sl_make_error(rd_kafka_resp_err_t code, const char *text) {
    return rd_kafka_error_new(code, "%s", text);
}

/* Replaces librdkafka's function; accepts the arguments of sl_produce(). */
rd_kafka_resp_err_t rd_kafka_producev(rd_kafka_t *client, ...) {
    sl_produced record = {.partition = RD_KAFKA_PARTITION_UA};
    va_list list;
    va_start(list, client);
    for (;;) {
        switch (va_arg(list, int)) {
        case RD_KAFKA_VTYPE_END: va_end(list); return sl_simulated_produce(client, &record);
        case RD_KAFKA_VTYPE_RKT: record.topic = va_arg(list, rd_kafka_topic_t *); break;
        case RD_KAFKA_VTYPE_PARTITION: record.partition = va_arg(list, int32_t); break;
        case RD_KAFKA_VTYPE_MSGFLAGS: (void)va_arg(list, int); break;
        case RD_KAFKA_VTYPE_KEY:
            record.key = va_arg(list, void *);
            record.key_size = va_arg(list, size_t);
            break;
        case RD_KAFKA_VTYPE_VALUE:
            record.value = va_arg(list, void *);
            record.value_size = va_arg(list, size_t);
            break;
        case RD_KAFKA_VTYPE_TIMESTAMP: record.timestamp = va_arg(list, int64_t); break;
        case RD_KAFKA_VTYPE_OPAQUE: record.token = va_arg(list, void *); break;
        case RD_KAFKA_VTYPE_HEADERS: record.headers = va_arg(list, rd_kafka_headers_t *); break;
        default: abort();
        }
    }
}
