@testable import Domain
@testable import Gateways
@testable import Support
import Testing

@Suite("Stored requests")
struct StoredRequestTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    private static func stored(
        _ state: TripState = .requested, changedAt: Int64? = nil, version: Int64? = nil, facts: String? = nil,
        updatedAt: Int64 = 1000
    ) -> StoredRequest {
        StoredRequest(
            state: state, changedAt: changedAt.map(time), version: version, factsJSON: facts,
            updatedAt: time(updatedAt))
    }

    private static func event(
        _ state: TripState = .requested, changedAt: Int64? = nil, version: Int64? = nil, facts: String? = nil
    ) -> TripRequest {
        TripRequest(
            tripID: "t", state: state, changedAt: changedAt.map(time), version: version, factsJSON: facts)
    }

    @Test("the first event is stored unchanged")
    func first() {
        let event = Self.event(.cancelled, changedAt: 7, version: 2, facts: "{}")
        #expect(
            StoredRequest.change(of: nil, by: event, at: Self.now)
                == .write(
                    Self.stored(
                        .cancelled, changedAt: 7, version: 2, facts: "{}", updatedAt: Self.now.milliseconds)))
    }

    @Test("an older version is outdated and the same version is a repetition", arguments: [4, 5, 6])
    func versions(version: Int64) {
        let change = StoredRequest.change(
            of: Self.stored(changedAt: 900, version: 5, facts: "{}"), by: Self.event(version: version, facts: "[]"),
            at: Self.now)
        switch version {
        case 4: #expect(change == .outdated)
        case 5: #expect(change == .repeated)
        default:
            #expect(
                change
                    == .write(
                        Self.stored(changedAt: 900, version: 6, facts: "[]", updatedAt: Self.now.milliseconds)))
        }
    }

    @Test("a cancellation needs a higher version than the request", arguments: [4, 5, 6])
    func cancellation(version: Int64) {
        let change = StoredRequest.change(
            of: Self.stored(version: 5), by: Self.event(.cancelled, version: version), at: Self.now)
        #expect((change == .outdated) == (version < 6))
    }

    @Test("versions take precedence over times")
    func versionsBeforeTimes() {
        let stored = Self.stored(changedAt: 900, version: 5)
        let change = StoredRequest.change(of: stored, by: Self.event(changedAt: 800, version: 6), at: Self.now)
        #expect(change == .write(Self.stored(changedAt: 800, version: 6, updatedAt: Self.now.milliseconds)))
    }

    @Test("an event without a version is outdated if its time is older", arguments: [899, 900, 901])
    func times(changedAt: Int64) {
        let stored = Self.stored(changedAt: 900, version: 5, facts: "{}")
        let change = StoredRequest.change(of: stored, by: Self.event(changedAt: changedAt, facts: "[]"), at: Self.now)
        #expect((change == .outdated) == (changedAt < 900))
        let next = Self.stored(changedAt: changedAt, version: 5, facts: "[]", updatedAt: Self.now.milliseconds)
        if changedAt >= 900 { #expect(change == .write(next)) }
        let repeated = StoredRequest.change(of: stored, by: Self.event(changedAt: 900), at: Self.now)
        #expect(repeated == .repeated)
    }

    @Test("without versions and times, every event that changes the request is applied")
    func neither() {
        let stored = Self.stored(facts: "{}")
        #expect(StoredRequest.change(of: stored, by: Self.event(facts: "{}"), at: Self.now) == .repeated)
        #expect(StoredRequest.change(of: stored, by: Self.event(), at: Self.now) == .repeated)
        let cancelled = Self.stored(.cancelled, facts: "{}", updatedAt: Self.now.milliseconds)
        #expect(StoredRequest.change(of: stored, by: Self.event(.cancelled), at: Self.now) == .write(cancelled))
    }

    @Test("a cancelled request stays cancelled at any version")
    func ended() {
        for version: Int64? in [nil, 4, 5, 6] {
            let stored = Self.stored(.cancelled, version: 5)
            #expect(StoredRequest.change(of: stored, by: Self.event(version: version), at: Self.now) == .outdated)
        }
        let again = StoredRequest.change(of: Self.stored(.cancelled), by: Self.event(.cancelled), at: Self.now)
        #expect(again == .repeated)
    }

    @Test("updatedAt increases with each change, even if the clock does not")
    func clock() {
        for (now, expected): (Int64, Int64) in [(999, 1001), (1000, 1001), (1001, 1001), (1002, 1002)] {
            let change = StoredRequest.change(of: Self.stored(), by: Self.event(.cancelled), at: Self.time(now))
            #expect(change == .write(Self.stored(.cancelled, updatedAt: expected)))
        }
    }

    @Test("the Redis hash reads back unchanged, and an invalid hash yields nil")
    func hash() {
        for request in [Self.stored(), Self.stored(.cancelled, changedAt: 5, version: 0, facts: #"{"a":1}"#)] {
            let fields = Dictionary(uniqueKeysWithValues: request.fields.map { ("\($0.name)", $0.value) })
            #expect(StoredRequest(fields: fields) == request)
        }
        #expect(StoredRequest(fields: [:]) == nil)
        #expect(StoredRequest(fields: ["state": "REQUESTED"]) == nil)
        #expect(StoredRequest.key(prefix: "p:", trip: "a:b") == "p:request:a:b")
    }
}
