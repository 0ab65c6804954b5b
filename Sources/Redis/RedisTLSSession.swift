import COpenSSL
import Glibc

/// TLS session on a connected, blocking socket that the caller closes; used on one thread.
///
/// OpenSSL reads and writes memory buffers, because its own socket writes would raise SIGPIPE on a
/// broken connection. The TLS of hiredis exists only since version 1.0, and does not check the host
/// name.
final class RedisTLSSession {
    private static let chunkSize = 1 << 15

    private let context: OpaquePointer
    private let session: OpaquePointer
    /// Received bytes that OpenSSL has not read; owned by the session.
    private let incoming: OpaquePointer
    /// Bytes written by OpenSSL that have not been sent; owned by the session.
    private let outgoing: OpaquePointer
    private let socket: Int32
    private let configuration: RedisConfiguration
    private var isConnected = false
    /// Buffer for encrypted bytes that are received or sent.
    private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 8)
    private let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 8)

    /// Performs the handshake; the certificate must be valid for the host of `configuration`.
    init(_ settings: RedisTLSConfiguration, _ configuration: RedisConfiguration, socket: Int32) throws(RedisError) {
        let context = try Self.context(settings)
        guard let session = SSL_new(context), let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem())
        else { preconditionFailure("OpenSSL could not allocate a session.") }
        SSL_set_bio(session, incoming, outgoing)
        self.context = context
        self.session = session
        self.incoming = incoming
        self.outgoing = outgoing
        self.socket = socket
        self.configuration = configuration
        let host = configuration.host
        // OpenSSL compares an IP address with the certificate's addresses, and a name with its names.
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) != 1 {
            guard SSL_set1_host(session, host) == 1, sl_tls_name_host(session, host) == 1 else {
                throw rejected("\(host) is not a valid host name")
            }
        }
        while true {
            ERR_clear_error()
            let result = SSL_connect(session)
            if result == 1 { break }
            try advance(result)
        }
        isConnected = true
        try sendWritten()
    }

    deinit {
        SSL_free(session)
        SSL_CTX_free(context)
        chunk.deallocate()
        plain.deallocate()
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(RedisError) {
        var rest = bytes
        while let start = rest.baseAddress, rest.count > 0 {
            ERR_clear_error()
            let written = SSL_write(session, start, Int32(clamping: min(rest.count, Self.chunkSize)))
            if written <= 0 {
                try advance(written)
                continue
            }
            try sendWritten()
            rest = UnsafeRawBufferPointer(rebasing: rest[Int(written)...])
        }
    }

    /// Waits for bytes and passes them to `body`; they are valid during the call.
    func read(_ body: (UnsafeRawBufferPointer) -> Void) throws(RedisError) {
        while true {
            ERR_clear_error()
            let count = SSL_read(session, plain.baseAddress, Int32(plain.count))
            if count > 0 { return body(UnsafeRawBufferPointer(rebasing: plain[..<Int(count)])) }
            try advance(count)
        }
    }

    /// Performs the input or output that OpenSSL waits for.
    private func advance(_ result: Int32) throws(RedisError) {
        let reason = SSL_get_error(session, result)
        // Read the error before sending. Also send after an error, because the output may be an alert for the server.
        let error = ERR_peek_error()
        let verification = SSL_get_verify_result(session)
        try sendWritten()
        switch reason {
        case SSL_ERROR_WANT_READ: try receive()
        case SSL_ERROR_WANT_WRITE: break
        case SSL_ERROR_ZERO_RETURN: throw broken("the server closed the connection")
        default: throw failure(error, verification: Int32(clamping: verification))
        }
    }

    private func receive() throws(RedisError) {
        while true {
            let count = recv(socket, chunk.baseAddress, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            if count < 0 {
                throw broken(errno == EAGAIN ? "no answer in time" : String(cString: strerror(errno)))
            }
            guard count > 0 else { throw broken("the server closed the connection") }
            BIO_write(incoming, chunk.baseAddress, Int32(count))
            return
        }
    }

    private func sendWritten() throws(RedisError) {
        while BIO_ctrl_pending(outgoing) > 0 {
            let count = Int(BIO_read(outgoing, chunk.baseAddress, Int32(chunk.count)))
            let bytes = UnsafeRawBufferPointer(rebasing: chunk[..<max(count, 0)])
            if let failure = sendAll(bytes, to: socket) { throw broken(failure) }
        }
    }
}

extension RedisTLSSession {
    private static func context(_ configuration: RedisTLSConfiguration) throws(RedisError) -> OpaquePointer {
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            preconditionFailure("OpenSSL could not allocate its settings.")
        }
        do throws(RedisError) {
            _ = sl_tls_require_version_1_2(context)
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
            ERR_clear_error()
            if let file = configuration.authorityFile {
                guard SSL_CTX_load_verify_locations(context, file, nil) == 1 else {
                    throw RedisError(.configuration, "REDIS_SSL_CA_LOCATION=\(file) contains no PEM certificates.")
                }
            } else {
                SSL_CTX_set_default_verify_paths(context)
            }
            if let file = configuration.certificateFile, SSL_CTX_use_certificate_chain_file(context, file) != 1 {
                throw RedisError(
                    .configuration, "REDIS_SSL_CERTIFICATE_LOCATION=\(file) contains no PEM certificate.")
            }
            // Prevents a prompt for a passphrase on the terminal.
            SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
            if let file = configuration.keyFile,
                SSL_CTX_use_PrivateKey_file(context, file, SSL_FILETYPE_PEM) != 1
                    || SSL_CTX_check_private_key(context) != 1
            {
                throw RedisError(
                    .configuration,
                    "REDIS_SSL_KEY_LOCATION=\(file) must contain an unencrypted PEM key that belongs to "
                        + "REDIS_SSL_CERTIFICATE_LOCATION.")
            }
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        return context
    }

    private func failure(_ error: UInt, verification: Int32) -> RedisError {
        if sl_tls_is_unknown_protocol(error) != 0 { return rejected("the server does not use TLS on this port") }
        if verification != X509_V_OK {
            return rejected(String(cString: X509_verify_cert_error_string(Int(verification))))
        }
        guard error != 0 else { return broken("the server closed the connection") }
        return rejected(ERR_reason_error_string(error).map { String(cString: $0) } ?? "OpenSSL error \(error)")
    }

    private func broken(_ reason: String) -> RedisError {
        // A Redis server without TLS does not answer, because it waits for the end of a command.
        let advice = isConnected ? "" : ", during the TLS handshake; check that the port uses TLS"
        return configuration.lost(reason + advice)
    }

    /// Returns the error of a permanent failure, for example because one side rejected the other's certificate.
    private func rejected(_ reason: String) -> RedisError {
        RedisError(
            .tls,
            "TLS verification failed for Redis at \(configuration): \(reason). Check REDIS_SSL_CA_LOCATION, and that the "
                + "certificate is valid for the host of REDIS_URL.")
    }
}
