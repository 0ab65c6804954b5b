import Testing

@testable import Codec
@testable import Gateways
@testable import Support

@Suite("Events of the trip service")
struct TripEventReaderTests {
    private struct Read: Equatable {
        var records: [String] = []
        var requests: [TripRequest] = []
        var invalidFacts: [FaultRun] = []
        var fault: MessageFault?
    }

    private static func read(_ body: String) -> Read {
        let reader = TripEventReader()
        return ByteSlice.withBytes(of: body) { bytes in
            switch reader.read(bytes) {
            case .success(let trips):
                Read(
                    records: trips.events.map { "\($0.driver) \($0.value.string)" }, requests: trips.requests,
                    invalidFacts: trips.invalidFacts)
            case .failure(let fault): Read(fault: fault)
            }
        }
    }

    private static func event(_ trip: String, _ driver: String, _ extra: String = "") -> String {
        #"{ "trip_id":"\#(trip)", "driver_id":"\#(driver)","state":"ACCEPTED"\#(extra)}"#
    }

    @Test("an event is passed on unchanged with its driver id, in either spelling of the members")
    func single() {
        let event = Self.event("tr_1", "d1", #","facts":{"a":"]}\""}"#)
        #expect(Self.read(event).records == ["d1 \(event)"])
        let other = #"{"tripId":"tr_1","driverId":"d:2","status":"requested"}"#
        #expect(Self.read(other).records == ["d:2 \(other)"])
        let status = #"{"type":"trip_status","payload":{"driver_id":"d1","trip_id":"tr_1","status":"completed"}}"#
        #expect(Self.read(status).records == ["d1 \(status)"])
    }

    @Test("the events of an array are passed on unchanged, in order")
    func several() {
        let events = [Self.event("tr_1", "d1"), Self.event("tr_2", "d2", #","context":{"list":[1,[2]]}"#)]
        let body = " [\n\(events.joined(separator: " ,\t"))\r\n] "
        #expect(Self.read(body).records == ["d1 \(events[0])", "d2 \(events[1])"])
        #expect(Self.read("[\(events[0])]").records == ["d1 \(events[0])"])
    }

    @Test("a byte order mark is removed")
    func byteOrderMark() {
        let event = #"{"trip_id":"t1","driver_id":"d1","state":"ACCEPTED"}"#
        #expect(Self.read("\u{FEFF}" + event) == Self.read(event))
        #expect(Self.read("\u{FEFF}[\(event)]") == Self.read("[\(event)]"))
    }

    @Test("a request without a driver and its cancellation are accepted")
    func requests() {
        let request = #"""
            {"trip_id":"tr_1","driver_id":null,"state":"searching","changed_at":1700000000000,"version":3,
             "facts":{ "car" : 1 }}
            """#
        #expect(
            Self.read("[\(request),\(Self.event("tr_2", "d2")),{\"tripId\":\"tr_1\",\"status\":\"CANCELLED\"}]")
                == Read(
                    records: ["d2 \(Self.event("tr_2", "d2"))"],
                    requests: [
                        TripRequest(
                            tripID: "tr_1", state: .requested, changedAt: Timestamp(milliseconds: 1_700_000_000_000),
                            version: 3, factsJSON: #"{"car":1}"#, index: 0),
                        TripRequest(tripID: "tr_1", state: .cancelled, index: 2),
                    ]))
        #expect(Self.read(#"{"trip_id":"a","driver_id":"d1","state":"REQUESTED"}"#).records.count == 1)
        let large = #"{"trip_id":"tr_1","state":"REQUESTED","facts":{"a":"\#(String(repeating: "x", count: 5000))"}}"#
        #expect(
            Self.read(large)
                == Read(
                    requests: [TripRequest(tripID: "tr_1", state: .requested)],
                    invalidFacts: [FaultRun(range: 0...0, reason: .tooLarge, field: "facts")]))
    }

    @Test(
        "a fault of an event without a driver has a reason and a field",
        arguments: [
            (#"{"trip_id":"tr 1","state":"REQUESTED"}"#, DeadLetterReason.invalidID, "trip_id"),
            (#"{"trip_id":"tr_1","state":"FLYING"}"#, .unknownState, "state"), (#"{}"#, .missingField, "state"),
            (#"{"trip_id":"tr_1","driver_id":7,"state":"REQUESTED"}"#, .wrongType, "driver_id"),
        ])
    func faultsOfRequests(event: String, reason: DeadLetterReason, field: String) {
        let fault = Self.read(event).fault
        #expect(fault?.reason == reason && fault?.field == field, "\(event): \(String(describing: fault))")
    }

    @Test("events without a driver are rejected with MISSING_KEY, except the trip service's requests and cancellations")
    func withoutDriver() {
        let events =
            ["ACCEPTED", "driver_en_route", "ARRIVED", "IN_PROGRESS", "COMPLETED"].map {
                #"{"trip_id":"tr_1","state":"\#($0)"}"#
            } + [
                #"{"type":"trip_status","trip_id":"tr_1","state":"REQUESTED"}"#,
                #"{"trip_id":"tr_1","driver_id":"","state":"REQUESTED"}"#,
            ]
        for event in events {
            let fault = Self.read(event).fault
            #expect(fault?.reason == .missingKey && fault?.field == "driver_id")
            #expect(fault?.text.hasPrefix("driver_id is missing") == true && fault?.unreadable.isEmpty == true)
        }
    }

    @Test(
        "an invalid body is rejected with a reason and a field",
        arguments: [
            (#"{"trip_id":"tr_1","driver_id":"d1"}"#, DeadLetterReason.missingField, "state"),
            (#"{"trip_id":"tr_1","driver_id":"d1","state":"FLYING"}"#, .unknownState, "state"),
            (#"{"trip_id":"","driver_id":"d1","state":"ACCEPTED"}"#, .invalidID, "trip_id"),
            (#"{"trip_id":"a","driver_id":"d 1","state":"ACCEPTED"}"#, .invalidKey, ""),
            (#"{"trip_id":"#, .malformedJSON, ""), ("", .emptyValue, ""), ("[]", .malformedJSON, ""),
            ("[1]", .malformedJSON, ""), ("[{}", .malformedJSON, ""), ("[{}]x", .malformedJSON, ""),
            ("[{},]", .malformedJSON, ""), ("[{} {}]", .malformedJSON, ""), ("[{]", .malformedJSON, ""),
            ("[{\"a\":]}]", .malformedJSON, ""),
        ])
    func faults(body: String, reason: DeadLetterReason, field: String) {
        let fault = Self.read(body).fault
        #expect(fault?.reason == reason && fault?.field == field, "\(body)")
        #expect(fault?.text.isEmpty == false)
    }

    @Test("a batch with an unreadable event is rejected, and all its unreadable events are listed")
    func batch() {
        let (good, bad) = (Self.event("tr_1", "d1"), #"{"trip_id":"tr_1","state":"ARRIVED"}"#)
        let result = Self.read("[\(good),\(bad),\(bad),\(good),{\"driver_id\":\"d1\",\"state\":\"ACCEPTED\"}]")
        #expect(result.records.isEmpty && result.fault?.reason == .missingKey)
        #expect(Self.read("[{\"trip_id\":\"tr_1\",\"state\":\"REQUESTED\"},\(bad)]").requests.isEmpty)
        #expect(
            result.fault?.unreadable == [
                FaultRun(range: 1...2, reason: .missingKey, field: "driver_id"),
                FaultRun(range: 4...4, reason: .missingField, field: "trip_id"),
            ])
    }

    @Test("a batch has up to 500 events", arguments: [499, 500, 501])
    func limit(count: Int) {
        let result = Self.read("[" + Array(repeating: Self.event("t", "d"), count: count).joined(separator: ",") + "]")
        #expect(result.records.count == (count > 500 ? 0 : count))
        #expect((result.fault?.reason == .batchTooLarge) == (count > 500))
    }

    @Test("an event with invalid facts is accepted and listed")
    func facts() {
        let large = Self.event("tr_1", "d1", #","facts":{"a":"\#(String(repeating: "x", count: 5000))"}"#)
        let result = Self.read("[\(Self.event("tr_2", "d2")),\(large)]")
        #expect(result.records.count == 2)
        #expect(result.invalidFacts == [FaultRun(range: 1...1, reason: .tooLarge, field: "facts")])
    }
}
