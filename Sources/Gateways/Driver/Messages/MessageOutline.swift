import Codec
import Support

/// Kind and id of a device's message, found in one scan before parsing.
///
/// Valid as long as the message. Escapes are not decoded, so only the reader of the message can determine its type.
struct MessageOutline {
    enum Kind {
        /// Locations, or a type that is not accepted.
        case locations
        case tripStatus, ping, pong, authenticate, appState
    }

    private static let maximumDigits = 19

    /// The message without a byte order mark.
    let text: ByteSlice
    let isArray: Bool
    private(set) var kind = Kind.locations
    /// App state of an `app_state` message; `nil` if absent or invalid.
    private(set) var appState: AppState?
    private var id: ByteSlice?

    init(_ message: ByteSlice) {
        text = message.withoutByteOrderMark
        let json = TopLevelJSON(text)
        isArray = json.isArray
        guard !isArray else { return }
        json.forEachMember { name, value in
            if name == "message_id" || name == "messageId" {
                id = value
            } else if name == "type" {
                kind = Self.kind(value)
            } else if name == "state" {
                appState = Self.content(ofString: value).flatMap { $0.count <= 15 ? AppState.named($0.string) : nil }
            }
        }
    }

    /// Message id as JSON text: a quoted ``Codec/Identifier`` or a non-negative integer; `nil` if absent or invalid.
    var messageID: ByteSlice? {
        guard let id else { return nil }
        if let text = Self.content(ofString: id) { return Identifier.isValid(text) ? id : nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard id.count <= Self.maximumDigits, id.buffer.allSatisfy({ digits.contains($0) }) else { return nil }
        return id[0] != UInt8(ascii: "0") || id.count == 1 ? id : nil
    }

    /// The message id as repeated in the response; `nil` if absent or invalid.
    var requestID: ClientMessage.RequestID? {
        guard let id = messageID else { return nil }
        return Self.content(ofString: id).map { .text($0.string) } ?? Int64(id.string).map { .number($0) }
    }

    /// Topic of the message's record; `nil` if the message produces no record.
    var target: DriverProducer.Target? {
        switch kind {
        case .locations: .locations
        case .tripStatus: .trips
        case .ping, .pong, .authenticate, .appState: nil
        }
    }

    private static func kind(_ type: ByteSlice) -> Kind {
        // Longer names are types of locations, or are not accepted.
        guard let name = content(ofString: type), name.count <= 12 else { return .locations }
        let text = name.string
        return switch text.lowercased() {
        case "trip_status": .tripStatus
        case "ping": .ping
        case "pong": .pong
        case "authenticate" where text == "authenticate": .authenticate
        case "app_state" where text == "app_state": .appState
        default: .locations
        }
    }

    /// Returns the text between the quotes of a non-empty JSON string; `nil` for other values.
    private static func content(ofString value: ByteSlice) -> ByteSlice? {
        let quote = UInt8(ascii: "\"")
        guard value.count > 2, value[0] == quote, value[value.count - 1] == quote else { return nil }
        return value[1..<value.count - 1]
    }
}
