import Foundation
import NIOCore

/// What a client sends over its socket: one JSON object per text frame.
struct ClientMessage: Decodable {
    /// The last event that a client has had: one id, or a list with one of each source.
    enum LastEvent: Decodable, Sendable {
        case one(String)
        case several([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let list = try? container.decode([String].self) {
                self = .several(list)
            } else {
                self = .one(try container.decode(String.self))
            }
        }

        /// `nil` where an id is none.
        var cursor: ChannelCursor? {
            let texts =
                switch self {
                case .one(let text): [text]
                case .several(let list): list
                }
            return ChannelCursor(texts: texts)
        }
    }

    /// A text or a number of the client's own, which the answer repeats.
    enum RequestID: Decodable, Sendable {
        case text(String)
        case number(Int64)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int64.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    enum CodingKeys: String, CodingKey {
        case type, channel, token, acknowledge
        case tripID = "trip_id"
        case lastEvent = "last_event_id"
        case event = "event_id"
        case clientState = "client_state"
        case requestID = "message_id"
    }

    var type: String
    var channel: String?
    var tripID: String?
    var lastEvent: LastEvent?
    /// Whether the client will acknowledge the events of the channel.
    var acknowledge: Bool?
    /// Up to where the client acknowledges.
    var event: LastEvent?
    var clientState: String?
    var token: String?
    var requestID: RequestID?

    /// The longest message that is read, in bytes.
    static let maximumBytes = 4096

    /// Reads a message; `nil` for what is none.
    static func read(_ text: ByteBuffer) -> ClientMessage? {
        try? JSONDecoder().decode(ClientMessage.self, from: Data(text.readableBytesView))
    }

    /// The cursor, empty where there is none; `nil` where it cannot be read.
    var cursor: ChannelCursor? { lastEvent.map { $0.cursor } ?? ChannelCursor([]) }
}
