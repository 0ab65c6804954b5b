import Testing

@testable import Gateways
@testable import Model
@testable import Support

@Suite("The advice in the answer to a request")
struct DeviceSituationTests {
    private static let time = Timestamp(milliseconds: 0)
    private static let fix = #"{"lat":-33.4,"lng":-70.6,"sequence":1,"speed":16}"#

    private static func advice(_ situation: DeviceSituation, _ trips: KnownTrips?, _ message: String = fix) -> String? {
        let reader = DriverMessageReader()
        let conditions = ByteSlice.withBytes(of: message) { message in
            switch reader.read(message, driver: ByteSlice("d1")) {
            case .locations(let locations): situation.conditions(after: locations, trips, at: time)
            case .tripStatus(let status): situation.conditions(after: status, trips, at: time)
            case .ping, .pong, .refused: nil as SamplingConditions?
            }
        }
        return conditions.map {
            let advice = SamplingAdvice($0)
            return "\(advice.intervalMilliseconds) \(advice.reason.code)"
        }
    }

    private static func trips(_ state: TripState) -> KnownTrips {
        KnownTrips(open: [.init(id: "tr_1", state: state)], newest: "tr_1")
    }

    @Test("follows the trip that the pipeline knows, whatever the device says or leaves out")
    func known() {
        #expect(Self.advice(DeviceSituation(), Self.trips(.accepted)) == "2000 TO_PICKUP")
        #expect(Self.advice(DeviceSituation(), Self.trips(.inProgress)) == "2000 ON_TRIP")
        #expect(Self.advice(DeviceSituation(trip: .none), Self.trips(.accepted)) == "2000 TO_PICKUP")
        let ended = KnownTrips(open: [], newest: "tr_1")
        #expect(Self.advice(DeviceSituation(), ended) == "30000 NO_TRIP")
        #expect(Self.advice(DeviceSituation(trip: .state(.inProgress)), ended) == "30000 NO_TRIP")
    }

    @Test("is what the device says where the pipeline knows no trip, and there is none where neither does")
    func said() {
        #expect(Self.advice(DeviceSituation(), nil) == nil)
        #expect(Self.advice(DeviceSituation(trip: .none), nil) == "30000 NO_TRIP")
        #expect(Self.advice(DeviceSituation(trip: .state(.accepted)), nil) == "2000 TO_PICKUP")
        #expect(Self.advice(DeviceSituation(app: .background), nil) == "300000 BACKGROUND")
        #expect(Self.advice(DeviceSituation(app: .foreground), nil) == "30000 NO_TRIP")
    }

    @Test("after a trip_status is that of the trip's next step, beside the driver's other trip")
    func status() {
        func status(_ state: String) -> String {
            #"{"type":"trip_status","payload":{"tripId":"tr_1","status":"\#(state)"}}"#
        }
        #expect(Self.advice(DeviceSituation(), nil, status("trip_started")) == "4000 ON_TRIP")
        #expect(Self.advice(DeviceSituation(), Self.trips(.arrived), status("trip_started")) == "4000 ON_TRIP")
        var chained = Self.trips(.inProgress)
        chained.open.append(.init(id: "tr_2", state: .accepted))
        #expect(Self.advice(DeviceSituation(), chained, status("completed")) == "2000 TO_PICKUP")
    }

    @Test(
        "names of the app's state", arguments: [("background", true), ("Background", true), ("foreground", false)])
    func appStates(text: String, isBackground: Bool) {
        #expect(AppState.named(text) == (isBackground ? .background : .foreground))
        #expect(AppState.named("hidden") == nil)
        let message = #"{"type":"app_state","state":"\#(text)","message_id":7}"#
        #expect(ByteSlice.withBytes(of: message) { AppState.read($0) } == AppState.named(text))
        #expect(ByteSlice.withBytes(of: #"{"type":"app_state","state":7}"#) { AppState.read($0) } == nil)
    }
}
