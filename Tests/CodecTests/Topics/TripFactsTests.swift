import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Facts and stages of trips")
struct TripFactsTests {
    private let reader = TripReader()
    private let event = EventID(partition: 3, offset: 184_467)

    private func read(_ members: String, state: String = "ACCEPTED") -> TripReadResult {
        ByteSlice.withBytes(of: "drv_17") { key in
            ByteSlice.withBytes(of: "{\"trip_id\":\"t\",\"state\":\"\(state)\"\(members)}") {
                reader.read(key: key, value: $0)
            }
        }
    }

    private func fault(_ result: TripReadResult) -> String? {
        if case .tripWithoutFacts(_, let reason) = result { "\(reason.code)" } else { nil }
    }

    @Test("facts and context are passed through without white space")
    func facts() {
        let result = read(#","facts": { "driver" : { "id" : 1.50 , "facts":{} } },"context":{"a": 1}"#)
        #expect(result.message?.factsJSON == #"{"driver":{"id":1.50,"facts":{}}}"#)
        #expect(result.message?.contextJSON == #"{"a":1}"#)
        #expect(fault(result) == nil)
        #expect(read(#","facts":null"#).message?.factsJSON == nil)
        #expect(fault(read(#","facts":null"#)) == nil)
    }

    @Test("facts of 4 KiB are read, and larger facts are dropped from the trip")
    func size() {
        for (count, isRead) in [(4096, true), (4097, false)] {
            let result = read(",\"facts\":{\"a\":\"" + String(repeating: "x", count: count - 8) + "\"}")
            #expect((result.message?.factsJSON?.utf8.count == count) == isRead)
            #expect(result.message?.tripID == "t")
            #expect(fault(result) == (isRead ? nil : "TOO_LARGE"))
        }
    }

    @Test(
        "facts that are not a JSON object are dropped from the trip",
        arguments: [
            ("[]", "WRONG_TYPE"), ("\"red\"", "WRONG_TYPE"), ("7", "WRONG_TYPE"),
            ("{\"a\":tru}", "MALFORMED_JSON"),
        ])
    func invalid(facts: String, reason: String) {
        let result = read(",\"facts\":\(facts)")
        #expect(result.message?.state == .accepted)
        #expect(result.message?.factsJSON == nil)
        #expect(fault(result) == reason)
    }

    @Test(
        "states of the mobile model are read as a state and a stage",
        arguments: [
            ("driver_en_route", TripState.accepted, TripStage.driverEnRoute),
            ("DRIVER_EN_ROUTE", .accepted, .driverEnRoute), ("driverEnRoute", .accepted, .driverEnRoute),
            ("arrived_destination", .inProgress, .arrivedDestination), ("trip_started", .inProgress, nil),
            ("driver_assigned", .accepted, nil), ("arrived_pickup", .arrived, nil),
        ] as [(String, TripState, TripStage?)])
    func stages(name: String, state: TripState, stage: TripStage?) {
        let message = read("", state: name).message
        #expect(message?.state == state)
        #expect(message?.stage == stage)
    }

    @Test("facts and stage of arrival times, state changes and notifications are read back")
    func carried() throws {
        let at = Timestamp(milliseconds: 1_741_977_135_123)
        var eta = TripEta(tripID: "t", driverID: "d", state: .accepted, computedAt: at)
        eta.stage = .driverEnRoute
        eta.change = TripEta.Change(previousState: nil, changedAt: at, factsJSON: TripSamples.facts)
        let text = written { TripEtaWriter.write(event: event, eta: eta, into: &$0) }
        #expect(text.contains("\"state\":\"ACCEPTED\",\"stage\":\"DRIVER_EN_ROUTE\""))
        #expect(text.contains("\"facts\":\(TripSamples.facts)}"))
        var actual = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
        #expect(ByteSlice.withBytes(of: text) { TripEtaReader().read($0, into: &actual) } == event)
        #expect(actual == eta)

        let updates: [RiderUpdate] = [
            .stateChanged(
                .init(
                    previousState: .cancelled, state: .accepted, changedAt: at, stage: .driverEnRoute,
                    isRematched: true, factsJSON: TripSamples.facts)),
            .notification(
                .init(
                    kind: .driverAccepted, priority: .high, triggeredBy: "DRIVER", factsJSON: TripSamples.facts)),
        ]
        for update in updates {
            let text = written { writer in
                ByteSlice.withBytes(of: "trip:t") {
                    RiderUpdateWriter.write(event: event, channel: $0, update: update, into: &writer)
                }
            }
            try ByteSlice.withBytes(of: text) {
                #expect(try #require(RiderUpdateReader().read($0)).update == update, "\(text)")
                let envelope = try #require(RiderUpdateEnvelopeReader().read($0))
                guard case .stateChanged = update else { return }
                #expect(envelope.facts.string == TripSamples.facts)
                #expect(envelope.isRematched)
            }
        }
    }
}
