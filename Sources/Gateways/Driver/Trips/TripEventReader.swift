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

    /// Key for reading an event without a driver; never written.
    private static let unknownDriver = "unknown"

    private let reader: TripReader

    /// Creates a reader with the limits of the workers' reader, which must be valid.
    init(limits: TripLimits = TripLimits()) { reader = TripReader(limits: limits) }

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
        var events = TripEvents(events: [], requests: [], withoutFacts: [])
        var refused: [MessageFault?] = []
        var withoutFacts: [MessageFault?] = []
        for (index, element) in elements.enumerated() {
            var (fault, factsFault): (MessageFault?, MessageFault?) = (nil, nil)
            do throws(MessageFault) {
                factsFault = try read(element, index: index, into: &events)
            } catch {
                fault = error
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

/// Events of a request of the trip service.
///
/// Values are slices of the request's body, valid as long as the body.
struct TripEvents {
    struct Event {
        var driver: String
        var value: ByteSlice
    }

    var events: [Event]
    var requests: [TripRequest]
    /// Events with invalid facts: applied without facts, as by the readers of the topic.
    var withoutFacts: [UnreadableFixes]
}
