import Codec
import Domain
import Support

/// Reader of the events that the trip service posts: one event or an array.
///
/// Validates with the reader of `trips` and returns the bytes unchanged. The driver of an event becomes the record's
/// key; an event without a driver must be a ``TripRequest``. One invalid event causes the rejection of its batch.
///
/// Use one instance per thread.
final class TripEventReader {
    static let maximumEvents = 500

    /// Placeholder key for reading an event without a driver; never written.
    private static let unknownDriver = "unknown"

    private let reader = TripReader()

    func read(_ body: ByteSlice) -> Result<TripEvents, MessageFault> {
        let body = body.withoutByteOrderMark
        guard let elements = TopLevelJSON(body).elements(limit: Self.maximumEvents) else {
            return readBatch([body])
        }
        guard elements.count <= Self.maximumEvents else {
            return .failure(
                MessageFault(.batchTooLarge, "The request exceeds \(Self.maximumEvents) events; split it."))
        }
        return readBatch(elements)
    }

    private func readBatch(_ elements: [ByteSlice]) -> Result<TripEvents, MessageFault> {
        var events = TripEvents(events: [], requests: [], invalidFacts: [])
        var refused: [MessageFault?] = []
        var invalidFacts: [MessageFault?] = []
        for (index, element) in elements.enumerated() {
            var (fault, factsFault): (MessageFault?, MessageFault?) = (nil, nil)
            do throws(MessageFault) {
                factsFault = try read(element, index: index, into: &events)
            } catch {
                fault = error
            }
            refused.append(fault)
            invalidFacts.append(factsFault)
        }
        if var first = refused.lazy.compactMap({ $0 }).first {
            first.unreadable = elements.count > 1 ? FaultRun.runs(among: refused) : []
            return .failure(first)
        }
        events.invalidFacts = FaultRun.runs(among: invalidFacts)
        return .success(events)
    }

    /// Adds an event to `events`.
    /// - Returns: the fault of its facts, which are then ignored; `nil` if they are valid.
    private func read(
        _ event: ByteSlice, index: Int, into events: inout TripEvents
    ) throws(MessageFault) -> MessageFault? {
        let driver = reader.driverID(of: event)
        guard driver?.isEmpty != true else { throw .withoutDriver }
        let (message, factsFault) = try ByteSlice.withBytes(of: driver ?? Self.unknownDriver) {
            read(event, key: $0)
        }.get()
        if let driver {
            events.events.append(TripEvents.Event(driver: driver, value: event))
        } else if let request = TripRequest(message, index: index) {
            events.requests.append(request)
        } else {
            throw .withoutDriver
        }
        return factsFault
    }

    private func read(_ event: ByteSlice, key: ByteSlice) -> Result<(TripMessage, MessageFault?), MessageFault> {
        switch reader.read(key: key, value: event) {
        case .trip(let message): .success((message, nil))
        case .tripWithoutFacts(let message, let reason):
            .success((message, MessageFault(ofTrip: reason, field: "facts", driver: key, event: event)))
        case .unreadable(let reason, let field):
            .failure(MessageFault(ofTrip: reason, field: field, driver: key, event: event))
        case .tombstone: preconditionFailure("A value was read as a tombstone.")
        }
    }
}

/// Events of one HTTP request of the trip service; ``requests`` are those without a driver.
///
/// Values are slices of the request's body, valid as long as the body.
struct TripEvents {
    struct Event {
        var driver: String
        var value: ByteSlice
    }

    var events: [Event]
    var requests: [TripRequest]
    /// Events with invalid facts; they are accepted, and readers ignore the facts.
    var invalidFacts: [FaultRun]
}
