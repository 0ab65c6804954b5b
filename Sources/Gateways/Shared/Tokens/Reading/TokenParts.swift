import Signatures

/// The three base64url-decoded parts of a token.
struct TokenParts {
    let header: [UInt8]
    let payload: [UInt8]
    let signature: [UInt8]
    /// The signed bytes: header and payload as sent.
    let signed: ArraySlice<UInt8>

    /// Returns `nil` if the token is not three parts in base64url.
    init?(_ token: String) {
        let bytes = Array(token.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), let header = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.payload = payload
        self.signature = signature
        signed = bytes[..<parts[1].endIndex]
    }
}
