import Foundation
import NIOCore

/// Message of a client, a JSON object.
struct ClientMessage: Decodable {
    /// Last event that a client has received: one id, or a list with one id per source.
    struct LastEvent: Decodable, Sendable {
        private let texts: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            texts = try (try? container.decode([String].self)) ?? [container.decode(String.self)]
        }

        /// The ids as a cursor; `nil` if one is invalid.
        var cursor: ChannelCursor? { ChannelCursor(texts: texts) }
    }

    /// Message id chosen by the client, which the response repeats.
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
    /// Whether the client acknowledges the events of the channel.
    var acknowledge: Bool?
    /// The acknowledged event, or one event per source.
    var event: LastEvent?
    var clientState: String?
    var token: String?
    var requestID: RequestID?

    /// Maximum length of a message to rider-gateway, in bytes.
    static let maximumBytes = 4096

    /// Decodes a message; `nil` if it is invalid.
    static func read(_ text: ByteBuffer) -> ClientMessage? {
        try? JSONDecoder().decode(ClientMessage.self, from: Data(text.readableBytesView))
    }

    /// The cursor of ``lastEvent``: empty if there is no last event, `nil` if it is invalid.
    var cursor: ChannelCursor? { lastEvent.map { $0.cursor } ?? ChannelCursor([]) }
}
