#ifndef SIGHTLINE_COPENSSL_SHIM_H
#define SIGHTLINE_COPENSSL_SHIM_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* Wrappers of function-like macros, which Swift cannot import. */

static inline int sl_tls_require_version_1_2(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/* Sets the server name indication (SNI). */
static inline int sl_tls_name_host(SSL *session, const char *host) {
    return (int)SSL_set_tlsext_host_name(session, host);
}

static inline int sl_tls_is_unknown_protocol(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_SSL
        && (ERR_GET_REASON(error) == SSL_R_WRONG_VERSION_NUMBER || ERR_GET_REASON(error) == SSL_R_UNKNOWN_PROTOCOL
            || ERR_GET_REASON(error) == SSL_R_PACKET_LENGTH_TOO_LONG);
}

#endif
