import Model
import Support

/// A message that a client got, as far as the audit needs it.
enum ReceivedMessage: Equatable {
    /// A connection begins; subscriptions of the one before are over.
    case connected
    case answer(ReceivedAnswer)
    case unsubscribed(channel: String)
    case event(ReceivedEvent)
    /// Anything else, such as `welcome`, `pong` or the positions of the fleet.
    case other
}

/// An event of `rider.updates` as a client got it.
struct ReceivedEvent: Equatable {
    var event: EventID
    /// `trip:ID` or `route:ID`.
    var channel: String
    /// The event as it stood in the message, byte for byte.
    var value: [UInt8]
}

/// A `subscribed` or `state_sync`: where a client is in a channel once it has taken it.
struct ReceivedAnswer: Equatable {
    var channel: String
    /// By partition, the last event of each source that the client has afterwards.
    var cursor: [Int32: Watermark]
    /// What the client said it had, so that the events after it follow one by one.
    ///
    /// `nil` where the message does not say.
    var replayFrom: [Int32: Watermark]?
    /// Whether it tells the channel's present state, in place of events that are not known to the client.
    var isFullRefresh: Bool
    /// Whether the missed events are in the message, so that the client has everything up to ``cursor`` with it.
    var isWhole: Bool
    var missed: [ReceivedEvent] = []
}

/// Reads the messages of a log.
struct ReceivedMessageReader {
    /// What is wrong with a message, as the end of a sentence that begins with its place.
    struct Fault: Error, Equatable {
        var description: String
    }

    private static let form = "a log has one JSON object in each line, as Examples/follow.py --log writes it"

    /// Reads one message.
    func read(_ json: ByteSlice) throws(Fault) -> ReceivedMessage {
        guard let members = MessageMembers(json) else {
            throw Fault(description: "this is no message of a gateway; \(Self.form)")
        }
        if members.eventID != nil { return .event(try event(members, json)) }
        switch members.type {
        case "connected": return .connected
        case "subscribed", "state_sync":
            // The fleet's positions are no events of a topic.
            if members.channel == "fleet" { return .other }
            return .answer(try answer(members, json))
        case "unsubscribed": return .unsubscribed(channel: try channel(members))
        case .some: return .other
        case nil: throw Fault(description: "the message has no type; \(Self.form)")
        }
    }

    private func event(_ members: MessageMembers, _ json: ByteSlice) throws(Fault) -> ReceivedEvent {
        guard let event = members.eventID.flatMap({ EventID($0) }) else {
            throw Fault(description: "event_id \(members.eventID ?? "") is no event's id, such as 3-184467")
        }
        return ReceivedEvent(event: event, channel: try channel(members), value: Array(json.buffer))
    }

    private func answer(_ members: MessageMembers, _ json: ByteSlice) throws(Fault) -> ReceivedAnswer {
        guard let cursor = members.cursor else {
            throw Fault(description: "the answer has no cursor; audit what a gateway of this version has sent")
        }
        var answer = ReceivedAnswer(
            channel: try channel(members), cursor: try clocks(cursor), isFullRefresh: members.isFullRefresh,
            isWhole: members.type == "state_sync")
        if let replayFrom = members.replayFrom { answer.replayFrom = try clocks(replayFrom.list) }
        for element in ArrayElements(named: "missed_events", in: json) {
            guard let members = MessageMembers(element), members.eventID != nil else {
                throw Fault(description: "missed_events has an element that is no event")
            }
            answer.missed.append(try event(members, element))
        }
        return answer
    }

    private func channel(_ members: MessageMembers) throws(Fault) -> String {
        guard let channel = members.channel else { throw Fault(description: "the message names no channel") }
        return channel
    }

    private func clocks(_ texts: [String]) throws(Fault) -> [Int32: Watermark] {
        var clocks: [Int32: Watermark] = [:]
        for text in texts {
            guard let event = EventID(text) else {
                throw Fault(description: "\(text) in a cursor is no event's id, such as 3-184467")
            }
            clocks[event.partition, default: Watermark()].advance(to: event)
        }
        return clocks
    }
}
