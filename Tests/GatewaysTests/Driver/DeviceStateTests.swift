import Testing

@testable import Domain
@testable import Gateways
@testable import Support

@Suite("Sampling advice in responses")
struct DeviceStateTests {
    private static let time = Timestamp(milliseconds: 0)
    private static let fix = #"{"lat":-33.4,"lng":-70.6,"sequence":1,"speed":16}"#

    private static func advice(_ deviceState: DeviceState, _ trips: KnownTrips?, _ message: String = fix) -> String? {
        let reader = DriverMessageReader()
        let conditions = ByteSlice.withBytes(of: message) { message in
            switch reader.read(MessageOutline(message), driver: ByteSlice("d1")) {
            case .locations(let locations): deviceState.conditions(after: locations, trips, at: time)
            case .tripStatus(let status, _): deviceState.conditions(after: status, trips, at: time)
            case .ping, .pong, .refused: nil as SamplingConditions?
            }
        }
        return conditions.map {
            let advice = SamplingAdvice($0)
            return "\(advice.intervalMilliseconds) \(advice.reason.rawValue)"
        }
    }

    private static func trips(_ state: TripState) -> KnownTrips {
        KnownTrips(open: [.init(id: "tr_1", state: state)], lastTripID: "tr_1")
    }

    @Test("a trip from the trips topic takes precedence over the device's report")
    func topicTrip() {
        #expect(Self.advice(DeviceState(), Self.trips(.accepted)) == "2000 TO_PICKUP")
        #expect(Self.advice(DeviceState(), Self.trips(.inProgress)) == "2000 ON_TRIP")
        #expect(Self.advice(DeviceState(trip: .none), Self.trips(.accepted)) == "2000 TO_PICKUP")
        let ended = KnownTrips(open: [], lastTripID: "tr_1")
        #expect(Self.advice(DeviceState(), ended) == "30000 NO_TRIP")
        #expect(Self.advice(DeviceState(trip: .state(.inProgress)), ended) == "30000 NO_TRIP")
    }

    @Test("without a trip from the trips topic, the device's report is used")
    func reportedTrip() {
        #expect(Self.advice(DeviceState(), nil) == nil)
        #expect(Self.advice(DeviceState(trip: .none), nil) == "30000 NO_TRIP")
        #expect(Self.advice(DeviceState(trip: .state(.accepted)), nil) == "2000 TO_PICKUP")
        #expect(Self.advice(DeviceState(app: .background), nil) == "300000 BACKGROUND")
        #expect(Self.advice(DeviceState(app: .foreground), nil) == "30000 NO_TRIP")
    }

    @Test("a trip_status is applied to the driver's trips")
    func status() {
        func status(_ state: String) -> String {
            #"{"type":"trip_status","payload":{"tripId":"tr_1","status":"\#(state)"}}"#
        }
        #expect(Self.advice(DeviceState(), nil, status("trip_started")) == "4000 ON_TRIP")
        #expect(Self.advice(DeviceState(), Self.trips(.arrived), status("trip_started")) == "4000 ON_TRIP")
        var chained = Self.trips(.inProgress)
        chained.open.append(.init(id: "tr_2", state: .accepted))
        #expect(Self.advice(DeviceState(), chained, status("completed")) == "2000 TO_PICKUP")
    }

    @Test(
        "app states are case-insensitive, and other values are ignored",
        arguments: [("background", true), ("Background", true), ("foreground", false)])
    func appStates(text: String, isBackground: Bool) {
        #expect(AppState.named(text) == (isBackground ? .background : .foreground))
        #expect(AppState.named("hidden") == nil)
        let message = #"{"type":"app_state","state":"\#(text)","message_id":7}"#
        #expect(ByteSlice.withBytes(of: message) { MessageOutline($0).appState } == AppState.named(text))
        #expect(ByteSlice.withBytes(of: #"{"type":"app_state","state":7}"#) { MessageOutline($0).appState } == nil)
    }
}
