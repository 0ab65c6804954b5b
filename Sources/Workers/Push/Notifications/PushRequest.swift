import Codec
import Foundation

/// One notification for one device, as its service takes it; without the authorization.
package struct PushRequest: Sendable, Equatable {
    /// Bytes of a payload that both services take at most.
    package static let maximumPayloadBytes = 4096

    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    package let platform: PushPlatform
    /// Begins with a slash.
    package let path: String
    /// In small letters, as HTTP/2 has them.
    package let headers: [Header]
    /// JSON.
    package let body: Data

    init(platform: PushPlatform, path: String, headers: KeyValuePairs<String, String>, payload: some Encodable) {
        self.platform = platform
        self.path = path
        self.headers = headers.map { Header(name: $0.key, value: $0.value) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            body = try encoder.encode(payload)
        } catch {
            preconditionFailure("A payload of texts and numbers cannot be encoded: \(error)")
        }
        precondition(
            body.count <= Self.maximumPayloadBytes,
            "A payload has \(body.count) bytes, although all of its texts are bounded.")
    }
}
