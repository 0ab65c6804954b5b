import Codec
import Gateways
import Model
import Support
import Testing

@Suite("Events of trips without a driver in one request")
struct RequestBatchTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private static func batch(_ held: StoredRequest? = nil, hasDriver: Bool = false) -> RequestBatch {
        var batch = RequestBatch()
        batch.know("t", held, hasDriver: hasDriver)
        return batch
    }

    private static func event(_ state: TripState, version: Int64? = nil) -> TripRequest {
        TripRequest(tripID: "t", state: state, version: version)
    }

    /// What becomes of events, one after the other: whether each is taken, and the batch afterwards.
    private static func take(_ events: TripRequest..., by batch: RequestBatch) -> (taken: [Bool], batch: RequestBatch) {
        var batch = batch
        return (events.map { batch.take($0, at: now) }, batch)
    }

    @Test("of several events of a trip the newest is written, once")
    func several() {
        let (taken, batch) = Self.take(
            Self.event(.requested, version: 1), Self.event(.cancelled, version: 3), Self.event(.requested, version: 2),
            by: Self.batch())
        #expect(taken == [true, true, true])
        #expect(batch.writes.map(\.request.state) == [.cancelled] && batch.renewals == ["t"])
    }

    @Test("a request that ends is passed on once, with its cause, and one that had ended is not")
    func cancellations() {
        let cancelled = TripRequest(tripID: "t", state: .cancelled, version: 2, triggeredBy: "SYSTEM")
        let (_, batch) = Self.take(Self.event(.requested, version: 1), cancelled, cancelled, by: Self.batch())
        #expect(batch.cancellations == [RequestCancellation(tripID: "t", triggeredBy: "SYSTEM")])
        #expect(Self.take(Self.event(.requested), by: Self.batch()).batch.cancellations.isEmpty)
        let ended = StoredRequest(state: .cancelled, version: 2, updatedAt: Self.now)
        #expect(Self.take(Self.event(.cancelled, version: 3), by: Self.batch(ended)).batch.cancellations.isEmpty)
        #expect(Self.take(cancelled, by: Self.batch(hasDriver: true)).batch.cancellations.isEmpty)
    }

    @Test("the fields of an ended request are read as they were written", arguments: [nil, "RIDER"])
    func cancellationFields(cause: String?) {
        let cancellation = RequestCancellation(tripID: "t", triggeredBy: cause)
        let fields = Dictionary(uniqueKeysWithValues: cancellation.fields.map { ("\($0.name)", $0.value) })
        #expect(RequestCancellation(fields: fields) == cancellation)
        #expect(RequestCancellation(fields: [:]) == nil)
    }

    @Test("a repeated event is kept for another lifetime, and nothing is written")
    func repeated() {
        let held = StoredRequest(state: .requested, updatedAt: Self.now)
        let (taken, batch) = Self.take(Self.event(.requested), by: Self.batch(held))
        #expect(taken == [true] && batch.writes.isEmpty && batch.renewals == ["t"])
    }

    @Test("an older event changes nothing at all")
    func outdated() {
        let held = StoredRequest(state: .cancelled, updatedAt: Self.now)
        let (taken, batch) = Self.take(Self.event(.requested), by: Self.batch(held))
        #expect(taken == [true] && batch.writes.isEmpty && batch.renewals.isEmpty)
    }

    @Test("of a trip that has a driver a late request changes nothing, and a cancellation is refused")
    func driver() {
        let (taken, batch) = Self.take(
            Self.event(.requested), Self.event(.cancelled), by: Self.batch(hasDriver: true))
        #expect(taken == [true, false] && batch.writes.isEmpty && batch.renewals.isEmpty)
    }
}
