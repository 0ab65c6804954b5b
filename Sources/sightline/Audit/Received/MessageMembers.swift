import Foundation
import Support

/// The members of a message that say what it is about; those of other types are absent.
struct MessageMembers: Decodable {
    /// One event's id, or a list of them.
    struct EventIDs: Decodable {
        var list: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            list = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }
    }

    private enum Key: String, CodingKey {
        case type, channel, cursor, snapshot
        case eventID = "event_id"
        case replayFrom = "replay_from"
        case fullRefresh = "full_refresh"
    }

    private struct Anything: Decodable {}

    var type: String?
    var channel: String?
    var eventID: String?
    var cursor: [String]?
    var replayFrom: EventIDs?
    private var hasSnapshot: Bool
    private var fullRefresh: Bool?

    /// `nil` when the text is not one JSON object, or a member is of another type than messages have it.
    init?(_ json: ByteSlice) {
        guard let members = try? JSONDecoder().decode(Self.self, from: Data(json.buffer)) else { return nil }
        self = members
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        type = try container.decodeIfPresent(String.self, forKey: .type)
        channel = try container.decodeIfPresent(String.self, forKey: .channel)
        eventID = try container.decodeIfPresent(String.self, forKey: .eventID)
        cursor = try container.decodeIfPresent([String].self, forKey: .cursor)
        replayFrom = try container.decodeIfPresent(EventIDs.self, forKey: .replayFrom)
        hasSnapshot = try container.decodeIfPresent(Anything.self, forKey: .snapshot) != nil
        fullRefresh = try container.decodeIfPresent(Bool.self, forKey: .fullRefresh)
    }

    /// Whether the message tells a channel's state in full.
    ///
    /// A `state_sync` says so itself. A `subscribed` does by its snapshot: without one it begins a partition that has
    /// come to write the channel, of which the client had nothing.
    var isFullRefresh: Bool { fullRefresh ?? (hasSnapshot && replayFrom == nil) }
}
