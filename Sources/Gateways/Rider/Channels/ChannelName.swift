import Codec
import Support

/// A channel of `rider.updates`: what a client watches, and the key of its records.
package struct ChannelName: Hashable, Sendable {
    /// What a channel is about.
    package enum Kind: String, Sendable {
        case trip
        case route
    }

    package let kind: Kind
    package let id: String

    package init(_ kind: Kind, _ id: String) {
        self.kind = kind
        self.id = id
    }

    /// Reads `trip:ID` or `route:ID`; `nil` for anything else, and for an id that cannot be a key.
    ///
    /// Keys of Redis end in `:events` where they hold a channel's stream, so that no channel may.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), let kind = Kind(rawValue: String(text[..<colon])) else {
            return nil
        }
        let id = String(text[text.index(after: colon)...])
        guard ByteSlice.withBytes(of: id, { Identifier.isValid($0) }), !text.hasSuffix(":events") else { return nil }
        self.init(kind, id)
    }
}

extension ChannelName: CustomStringConvertible {
    package var description: String { "\(kind.rawValue):\(id)" }
}
