/// TLS files of a `rediss://` connection.
///
/// The server's certificate must be issued by a trusted authority for the host of the URL; neither check can be
/// disabled.
package struct RedisTLSConfiguration: Sendable, Equatable {
    /// Trusted certificate authorities (PEM); `nil` for the system's.
    package var authorityFile: String?
    /// Client certificate chain (PEM).
    package var certificateFile: String?
    /// Private key of ``certificateFile`` (PEM), without a passphrase.
    package var keyFile: String?

    package init(authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.authorityFile = authorityFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
