import Codec
import Support

/// A channel that clients subscribe to; its text is the key of its records in `rider.updates`.
struct ChannelName: Hashable, Sendable {
    enum Kind: String, Sendable {
        case trip
        case route
    }

    let kind: Kind
    let id: String

    init(_ kind: Kind, _ id: String) {
        self.kind = kind
        self.id = id
    }

    /// Parses `trip:ID` or `route:ID`; `nil` for other text and for an id that is not a valid identifier.
    ///
    /// A channel must not end in `:events`, the suffix of the Redis key of a channel's stream.
    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), let kind = Kind(rawValue: String(text[..<colon])) else {
            return nil
        }
        let id = String(text[text.index(after: colon)...])
        guard ByteSlice.withBytes(of: id, { Identifier.isValid($0) }), !text.hasSuffix(":events") else { return nil }
        self.init(kind, id)
    }
}

extension ChannelName: CustomStringConvertible {
    var description: String { "\(kind.rawValue):\(id)" }

    func isAllowed(by claims: TokenClaims) -> Bool {
        switch kind {
        case .trip: claims.allows(trip: id)
        case .route: claims.allows(route: id)
        }
    }
}
