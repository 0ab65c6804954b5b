/// How a `rediss://` connection is secured.
///
/// The server's certificate must lead to a trusted authority and name the host of the URL; neither can be turned off.
package struct RedisTLSConfiguration: Sendable, Equatable {
    /// The certificates of the authorities to trust, as PEM; `nil` trusts those of the system.
    package var authorityFile: String?
    /// Our own certificate chain as PEM, for a server that asks for one; `nil` has none.
    package var certificateFile: String?
    /// The private key of ``certificateFile``, as PEM without a passphrase.
    package var keyFile: String?

    package init(authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.authorityFile = authorityFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
