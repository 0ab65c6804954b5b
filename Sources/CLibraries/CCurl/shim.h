#ifndef SIGHTLINE_CCURL_SHIM_H
#define SIGHTLINE_CCURL_SHIM_H

/* Disables compile-time checks of arguments: macros that replace curl_easy_setopt() and curl_easy_getinfo(). */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Wrappers of variadic functions, which Swift cannot call. */

static inline CURLcode sl_curl_set_number(CURL *transfer, CURLoption option, long value) {
    return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode sl_curl_set_pointer(CURL *transfer, CURLoption option, const void *value) {
    return curl_easy_setopt(transfer, option, value);
}

typedef size_t (*sl_curl_writer)(char *bytes, size_t size, size_t count, void *context);

/* `writer` receives the body in pieces and returns the number of bytes stored; fewer end the transfer with an error. */
static inline CURLcode sl_curl_set_writer(CURL *transfer, sl_curl_writer writer, void *context) {
    CURLcode result = curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, writer);
    return result == CURLE_OK ? curl_easy_setopt(transfer, CURLOPT_WRITEDATA, context) : result;
}

/* Returns the HTTP status of the response; 0 without a response. */
static inline long sl_curl_status(CURL *transfer) {
    long status = 0;
    curl_easy_getinfo(transfer, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/* Returns the delay in the Retry-After header, in seconds even if the header is a date; 0 if absent. */
static inline curl_off_t sl_curl_retry_after(CURL *transfer) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(transfer, CURLINFO_RETRY_AFTER, &seconds);
    return seconds;
}

#endif
