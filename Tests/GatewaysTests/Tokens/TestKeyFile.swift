import Foundation

/// A key file that is deleted with this object.
final class TestKeyFile: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString).json").path

    init(_ keys: [String]) throws { try write(keys) }

    init(text: String) throws { try write(text: text) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ keys: [String]) throws { try write(text: #"{"keys":[\#(keys.joined(separator: ","))]}"#) }

    /// Replaces the file.
    func write(text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }

    /// The keys of ``SignedByOpenSSL`` with `kid` rsa and ec, without `alg`.
    static let openSSL = [
        #"{"kty":"RSA","kid":"rsa","n":"\#(SignedByOpenSSL.modulus)","e":"AQAB"}"#,
        #"{"kty":"EC","crv":"P-256","kid":"ec","x":"\#(SignedByOpenSSL.x)","y":"\#(SignedByOpenSSL.y)"}"#,
    ]
}
