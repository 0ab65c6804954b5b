import Bytes
import Wire

/// Reads what the trip service posts: one event of a trip, or an array of them.
///
/// Only the form is checked, by the reader of `trips` itself, and the bytes are handed on as they are. An event has to
/// name its driver, who becomes the record's key. Of a batch either all events are taken or none.
///
/// One per thread.
package final class TripEventReader {
    /// Events of one request.
    package static let maximumEvents = 500

    private let reader: TripReader

    /// - Parameter limits: those of the workers' own reader, which must have no problems.
    package init(limits: TripLimits = TripLimits()) { reader = TripReader(limits: limits) }

    /// Reads the body of a request.
    package func read(_ body: ByteSlice) -> Result<TripEvents, MessageFault> {
        guard let elements = ArrayElements.of(body, limit: Self.maximumEvents) else { return readBatch([body]) }
        guard elements.count <= Self.maximumEvents else {
            return .failure(
                MessageFault(.batchTooLarge, "A request has at most \(Self.maximumEvents) events; send several."))
        }
        return readBatch(elements)
    }

    private func readBatch(_ elements: [ByteSlice]) -> Result<TripEvents, MessageFault> {
        var events = TripEvents(events: [], withoutFacts: [])
        var refused: [MessageFault?] = []
        var withoutFacts: [MessageFault?] = []
        for element in elements {
            let fault: MessageFault?
            var factsFault: MessageFault?
            switch read(event: element) {
            case .success(let (event, facts)):
                events.events.append(event)
                (fault, factsFault) = (nil, facts)
            case .failure(let found): fault = found
            }
            refused.append(fault)
            withoutFacts.append(factsFault)
        }
        if var first = refused.lazy.compactMap({ $0 }).first {
            first.unreadable = elements.count > 1 ? UnreadableFixes.runs(among: refused) : []
            return .failure(first)
        }
        events.withoutFacts = UnreadableFixes.runs(among: withoutFacts)
        return .success(events)
    }

    private func read(event: ByteSlice) -> Result<(TripEvents.Event, facts: MessageFault?), MessageFault> {
        let driver = reader.driverID(of: event) ?? ""
        return ByteSlice.withBytes(of: driver) { key in
            switch reader.read(key: key, value: event) {
            case .trip: return .success((TripEvents.Event(driver: driver, value: event), nil))
            case .tripWithoutFacts(_, let reason):
                let fault = MessageFault(ofTrip: reason, field: "facts", driver: key, event: event)
                return .success((TripEvents.Event(driver: driver, value: event), fault))
            case .unreadable(.missingKey, _) where isObject(event):
                return .failure(
                    MessageFault(
                        .missingKey,
                        "driver_id is missing; an event is written once its trip has a driver, whose id is its key",
                        field: "driver_id"))
            case .unreadable(.missingKey, _): return .failure(unreadable(event))
            case .unreadable(let reason, let field):
                return .failure(MessageFault(ofTrip: reason, field: field, driver: key, event: event))
            case .tombstone: preconditionFailure("A value was read as a tombstone.")
            }
        }
    }

    /// Whether it can be read at all, so that the driver is what is missing.
    private func isObject(_ event: ByteSlice) -> Bool { problem(event) == nil }

    private func unreadable(_ event: ByteSlice) -> MessageFault {
        MessageFault(ofTrip: problem(event) ?? .malformedJSON, field: "", driver: .empty, event: event)
    }

    /// What is wrong with it whoever its driver is; `nil` where a field is wrong, or nothing.
    private func problem(_ event: ByteSlice) -> DeadLetterReason? {
        switch reader.read(key: ByteSlice("unknown"), value: event) {
        case .unreadable(let reason, let field) where field.isEmpty: reason
        default: nil
        }
    }
}
