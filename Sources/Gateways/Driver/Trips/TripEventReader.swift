import Codec
import Domain
import Support

/// Reads the events that the trip service posts: one event or an array.
///
/// Validates with the reader of `trips` and passes the bytes on unchanged. The driver of an event becomes the record's
/// key; an event without a driver must be a ``TripRequest``. All events of a batch are accepted or none.
///
/// Use one instance per thread.
final class TripEventReader {
    static let maximumEvents = 500

    private enum Event {
        case record(TripEvents.Event)
        case request(TripRequest)
    }

    /// Key for reading an event without a driver; never written.
    private static let unknownDriver: StaticString = "unknown"

    private let reader: TripReader

    /// Creates a reader with the limits of the workers' reader, which must be valid.
    init(limits: TripLimits = TripLimits()) { reader = TripReader(limits: limits) }

    func read(_ body: ByteSlice) -> Result<TripEvents, MessageFault> {
        let body = body.withoutByteOrderMark
        guard let elements = TopLevelJSON.elements(of: body, limit: Self.maximumEvents) else {
            return readBatch([body])
        }
        guard elements.count <= Self.maximumEvents else {
            return .failure(
                MessageFault(.batchTooLarge, "The request exceeds \(Self.maximumEvents) events; split it."))
        }
        return readBatch(elements)
    }

    private func readBatch(_ elements: [ByteSlice]) -> Result<TripEvents, MessageFault> {
        var events = TripEvents(events: [], requests: [], withoutFacts: [])
        var refused: [MessageFault?] = []
        var withoutFacts: [MessageFault?] = []
        for (index, element) in elements.enumerated() {
            let fault: MessageFault?
            var factsFault: MessageFault?
            switch read(event: element, index: index) {
            case .success(let (event, facts)):
                switch event {
                case .record(let event): events.events.append(event)
                case .request(let request): events.requests.append(request)
                }
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

    private func read(event: ByteSlice, index: Int) -> Result<(Event, facts: MessageFault?), MessageFault> {
        guard let driver = reader.driverID(of: event) else {
            return read(event, key: ByteSlice(Self.unknownDriver)) { message in
                TripRequest(message, index: index).map { .success(.request($0)) } ?? .failure(.withoutDriver)
            }
        }
        guard !driver.isEmpty else { return .failure(.withoutDriver) }
        return ByteSlice.withBytes(of: driver) { key in
            read(event, key: key) { _ in .success(.record(TripEvents.Event(driver: driver, value: event))) }
        }
    }

    private func read(
        _ event: ByteSlice, key: ByteSlice, _ makeEvent: (TripMessage) -> Result<Event, MessageFault>
    ) -> Result<(Event, facts: MessageFault?), MessageFault> {
        switch reader.read(key: key, value: event) {
        case .trip(let message): return makeEvent(message).map { ($0, nil) }
        case .tripWithoutFacts(let message, let reason):
            let fault = MessageFault(ofTrip: reason, field: "facts", driver: key, event: event)
            return makeEvent(message).map { ($0, fault) }
        case .unreadable(let reason, let field):
            return .failure(MessageFault(ofTrip: reason, field: field, driver: key, event: event))
        case .tombstone: preconditionFailure("A value was read as a tombstone.")
        }
    }
}

/// Events of a request of the trip service.
///
/// Values are slices of the request's body, valid as long as the body.
struct TripEvents {
    struct Event {
        var driver: String
        var value: ByteSlice
    }

    /// Events with a driver, to be written to `trips`.
    var events: [Event]
    /// Events without a driver, to be stored in Redis.
    var requests: [TripRequest]
    /// Events with invalid facts: applied without facts, as by the readers of the topic.
    var withoutFacts: [UnreadableFixes]
}
