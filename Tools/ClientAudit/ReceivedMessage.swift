import Domain
import Foundation
import Gateways
import Recordings
import Support

/// A message that a client received.
enum ReceivedMessage: Equatable {
    /// Start of a connection, without subscriptions.
    case connected
    case answer(ReceivedAnswer)
    case unsubscribed(channel: String)
    case event(ReceivedEvent)
    /// Another message, such as `welcome`, `pong` or positions of the fleet.
    case other
}

/// An event of `rider.updates` that a client received.
struct ReceivedEvent: Equatable {
    var event: EventID
    /// `trip:ID` or `route:ID`.
    var channel: String
    /// The bytes of the event.
    var value: [UInt8]
}

/// A `subscribed` or `state_sync` message.
struct ReceivedAnswer: Equatable {
    var channel: String
    /// The last event of each origin that the client has after this message, by partition.
    var cursor: [Int32: Watermark]
    /// The events after which the client resumes; `nil` if absent.
    var replayFrom: [Int32: Watermark]?
    /// Whether the message contains a full snapshot of the channel.
    var isFullSnapshot: Bool
    /// Whether the message contains all missed events up to ``cursor``; `true` for `state_sync`.
    var isWhole: Bool
    var missed: [ReceivedEvent] = []
}

struct ReceivedMessageReader {
    private static let format = "a log has one JSON object per line, as Examples/follow.py --log writes it"

    func read(_ json: ByteSlice) throws(InputError) -> ReceivedMessage {
        guard let members = MessageMembers(json) else {
            throw InputError("not a message of a gateway; \(Self.format)")
        }
        if members.eventID != nil { return .event(try event(members, json)) }
        switch members.type {
        case "connected": return .connected
        case "subscribed", "state_sync":
            // Positions of the fleet are not events of a topic.
            if members.channel == "fleet" { return .other }
            return .answer(try answer(members, json))
        case "unsubscribed": return .unsubscribed(channel: try channel(members))
        case .some: return .other
        case nil: throw InputError("the message has no type; \(Self.format)")
        }
    }

    private func event(_ members: MessageMembers, _ json: ByteSlice) throws(InputError) -> ReceivedEvent {
        guard let event = members.eventID.flatMap({ EventID($0) }) else {
            throw InputError("event_id \(members.eventID ?? "") is not an event id, such as 3-184467")
        }
        return ReceivedEvent(event: event, channel: try channel(members), value: Array(json.buffer))
    }

    private func answer(_ members: MessageMembers, _ json: ByteSlice) throws(InputError) -> ReceivedAnswer {
        guard let cursor = members.cursor else {
            throw InputError("the message has no cursor; use a gateway of this version")
        }
        var answer = ReceivedAnswer(
            channel: try channel(members), cursor: try watermarks(cursor), isFullSnapshot: members.isFullSnapshot,
            isWhole: members.type == "state_sync")
        if let replayFrom = members.replayFrom { answer.replayFrom = try watermarks(replayFrom.list) }
        for element in try missedEvents(json) {
            guard let members = MessageMembers(element), members.eventID != nil else {
                throw InputError("missed_events contains an element that is not an event")
            }
            answer.missed.append(try event(members, element))
        }
        return answer
    }

    /// Returns the elements of `missed_events` as the original bytes; empty without this member.
    private func missedEvents(_ json: ByteSlice) throws(InputError) -> [ByteSlice] {
        var text = ByteSlice.empty
        TopLevelJSON(json).forEachMember { if $0 == "missed_events" { text = $1 } }
        let array = TopLevelJSON(text)
        if !array.isArray || text.buffer.allSatisfy({ "[] \t\r\n".utf8.contains($0) }) { return [] }
        guard let elements = array.elements(limit: .max) else {
            throw InputError("missed_events contains an element that is not an event")
        }
        return elements
    }

    private func channel(_ members: MessageMembers) throws(InputError) -> String {
        guard let channel = members.channel else { throw InputError("the message has no channel") }
        return channel
    }

    private func watermarks(_ texts: [String]) throws(InputError) -> [Int32: Watermark] {
        var watermarks: [Int32: Watermark] = [:]
        for text in texts {
            guard let event = EventID(text) else {
                throw InputError("\(text) in a cursor is not an event id, such as 3-184467")
            }
            watermarks[event.partition, default: Watermark()].advance(to: event)
        }
        return watermarks
    }
}

/// The members of a message that the audit needs.
struct MessageMembers: Decodable {
    /// An event id or a list of them.
    struct EventIDs: Decodable {
        var list: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            list = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }
    }

    private enum CodingKeys: String, CodingKey {
        case type, channel, cursor, snapshot
        case eventID = "event_id"
        case replayFrom = "replay_from"
        case fullRefresh = "full_refresh"
    }

    private struct AnyValue: Decodable {}

    var type: String?
    var channel: String?
    var eventID: String?
    var cursor: [String]?
    var replayFrom: EventIDs?
    private var snapshot: AnyValue?
    private var fullRefresh: Bool?

    /// Decodes a message; returns `nil` if it is not a JSON object, or a member has the wrong type.
    init?(_ json: ByteSlice) {
        guard let members = try? JSONDecoder().decode(Self.self, from: Data(json.buffer)) else { return nil }
        self = members
    }

    /// Whether the message contains a full snapshot.
    ///
    /// A `subscribed` without a snapshot announces a partition that has started to write to the channel.
    var isFullSnapshot: Bool { fullRefresh ?? (snapshot != nil && replayFrom == nil) }
}
