import Codec
import Model
import Support

/// Reads what the trip service posts: one event of a trip, or an array of them.
///
/// Only the form is checked, by the reader of `trips` itself, and the bytes are handed on as they are. An event names its
/// driver, who becomes the record's key; without one it has to be of a trip before its match (``TripRequest``). Of a batch
/// either all events are taken or none.
///
/// One per thread.
package final class TripEventReader {
    /// Events of one request.
    package static let maximumEvents = 500

    /// What an event says.
    private enum Event {
        case record(TripEvents.Event)
        case request(TripRequest)
    }

    /// The key with which an event is read that names no driver; it is written nowhere.
    private static let unknownDriver: StaticString = "unknown"

    private let reader: TripReader

    /// - Parameter limits: those of the workers' own reader, which must have no problems.
    package init(limits: TripLimits = TripLimits()) { reader = TripReader(limits: limits) }

    /// Reads the body of a request.
    package func read(_ body: ByteSlice) -> Result<TripEvents, MessageFault> {
        let body = body.withoutByteOrderMark
        guard let elements = ArrayElements.of(body, limit: Self.maximumEvents) else { return readBatch([body]) }
        guard elements.count <= Self.maximumEvents else {
            return .failure(
                MessageFault(.batchTooLarge, "A request has at most \(Self.maximumEvents) events; send several."))
        }
        return readBatch(elements)
    }

    private func readBatch(_ elements: [ByteSlice]) -> Result<TripEvents, MessageFault> {
        var events = TripEvents(events: [], requests: [], withoutFacts: [])
        var refused: [MessageFault?] = []
        var withoutFacts: [MessageFault?] = []
        for (place, element) in elements.enumerated() {
            let fault: MessageFault?
            var factsFault: MessageFault?
            switch read(event: element, place: place) {
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

    private func read(event: ByteSlice, place: Int) -> Result<(Event, facts: MessageFault?), MessageFault> {
        guard let driver = reader.driverID(of: event) else {
            return read(event, key: ByteSlice(Self.unknownDriver)) { message in
                TripRequest(message, place: place).map { .success(.request($0)) } ?? .failure(.withoutDriver)
            }
        }
        guard !driver.isEmpty else { return .failure(.withoutDriver) }
        return ByteSlice.withBytes(of: driver) { key in
            read(event, key: key) { _ in .success(.record(TripEvents.Event(driver: driver, value: event))) }
        }
    }

    private func read(
        _ event: ByteSlice, key: ByteSlice, _ take: (TripMessage) -> Result<Event, MessageFault>
    ) -> Result<(Event, facts: MessageFault?), MessageFault> {
        switch reader.read(key: key, value: event) {
        case .trip(let message): return take(message).map { ($0, nil) }
        case .tripWithoutFacts(let message, let reason):
            let fault = MessageFault(ofTrip: reason, field: "facts", driver: key, event: event)
            return take(message).map { ($0, fault) }
        case .unreadable(let reason, let field):
            return .failure(MessageFault(ofTrip: reason, field: field, driver: key, event: event))
        case .tombstone: preconditionFailure("A value was read as a tombstone.")
        }
    }
}
