@testable import Codec
@testable import Domain
@testable import Gateways
@testable import Support
import Testing

@Suite("Events of one HTTP request about trips without a driver")
struct RequestBatchTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private static func batch(_ stored: StoredRequest? = nil, hasDriver: Bool = false) -> RequestBatch {
        var batch = RequestBatch()
        batch.load("t", stored, hasDriver: hasDriver)
        return batch
    }

    private static func event(_ state: TripState, version: Int64? = nil) -> TripRequest {
        TripRequest(tripID: "t", state: state, version: version)
    }

    /// Returns whether each event is accepted, and the batch after all events.
    private static func apply(_ events: TripRequest..., to batch: RequestBatch) -> (
        accepted: [Bool], batch: RequestBatch
    ) {
        var batch = batch
        return (events.map { batch.apply($0, at: now) }, batch)
    }

    @Test("if a trip has several events, only the newest is written")
    func several() {
        let (accepted, batch) = Self.apply(
            Self.event(.requested, version: 1), Self.event(.cancelled, version: 3), Self.event(.requested, version: 2),
            to: Self.batch())
        #expect(accepted == [true, true, true])
        #expect(batch.writes.map(\.request.state) == [.cancelled] && batch.renewals == ["t"])
    }

    @Test("a cancellation is reported once, with its cause, if the request is open and its trip has no driver")
    func cancellations() {
        let cancelled = TripRequest(tripID: "t", state: .cancelled, version: 2, triggeredBy: "SYSTEM")
        let (_, batch) = Self.apply(Self.event(.requested, version: 1), cancelled, cancelled, to: Self.batch())
        #expect(batch.cancellations == [RequestCancellation(tripID: "t", triggeredBy: "SYSTEM")])
        #expect(Self.apply(Self.event(.requested), to: Self.batch()).batch.cancellations.isEmpty)
        let ended = StoredRequest(state: .cancelled, version: 2, updatedAt: Self.now)
        #expect(Self.apply(Self.event(.cancelled, version: 3), to: Self.batch(ended)).batch.cancellations.isEmpty)
        #expect(Self.apply(cancelled, to: Self.batch(hasDriver: true)).batch.cancellations.isEmpty)
    }

    @Test("the fields of a cancellation read back unchanged", arguments: [nil, "RIDER"])
    func cancellationFields(cause: String?) {
        let cancellation = RequestCancellation(tripID: "t", triggeredBy: cause)
        let fields = Dictionary(uniqueKeysWithValues: cancellation.fields.map { ("\($0.name)", $0.value) })
        #expect(RequestCancellation(fields: fields) == cancellation)
        #expect(RequestCancellation(fields: [:]) == nil)
    }

    @Test("a repeated event renews the lifetime and writes nothing")
    func repeated() {
        let stored = StoredRequest(state: .requested, updatedAt: Self.now)
        let (accepted, batch) = Self.apply(Self.event(.requested), to: Self.batch(stored))
        #expect(accepted == [true] && batch.writes.isEmpty && batch.renewals == ["t"])
    }

    @Test("a request after its cancellation has no effect")
    func outdated() {
        let stored = StoredRequest(state: .cancelled, updatedAt: Self.now)
        let (accepted, batch) = Self.apply(Self.event(.requested), to: Self.batch(stored))
        #expect(accepted == [true] && batch.writes.isEmpty && batch.renewals.isEmpty)
    }

    @Test("for a trip with a driver, a request has no effect and a cancellation is rejected")
    func driver() {
        let (accepted, batch) = Self.apply(
            Self.event(.requested), Self.event(.cancelled), to: Self.batch(hasDriver: true))
        #expect(accepted == [true, false] && batch.writes.isEmpty && batch.renewals.isEmpty)
    }
}
