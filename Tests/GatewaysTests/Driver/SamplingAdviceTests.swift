import NIOCore
import Testing

@testable import Codec
@testable import Domain
@testable import Gateways

@Suite("Sampling advice")
struct SamplingAdviceTests {
    private typealias Trip = SamplingConditions.Trip

    /// Returns the interval in milliseconds, accuracy, distance filter in metres, and reason.
    private static func text(_ conditions: SamplingConditions) -> String {
        let advice = SamplingAdvice(conditions)
        return "\(advice.intervalMilliseconds) \(advice.accuracy.rawValue) \(advice.distanceFilterMeters) "
            + "\(advice.reason.rawValue)"
    }

    @Test(
        "each phase of the trip has its own advice",
        arguments: [
            (SamplingConditions.Trip.none, "30000 city_block 0 NO_TRIP"), (.toPickup, "2000 best 10 TO_PICKUP"),
            (.onTrip, "4000 ten_meters 20 ON_TRIP"),
        ])
    func phases(trip: SamplingConditions.Trip, expected: String) {
        #expect(Self.text(SamplingConditions(trip: trip)) == expected)
        let charged = SamplingConditions(trip: trip, speedMetersPerSecond: 8, batteryPercent: 90, isCharging: false)
        #expect(Self.text(charged) == expected)
    }

    @Test(
        "a driver without a trip is idle after standing for more than 5 minutes",
        arguments: [
            (299.999, "30000 city_block 0 NO_TRIP"), (300, "30000 city_block 0 NO_TRIP"),
            (300.001, "120000 low 0 IDLE"), (86_400, "120000 low 0 IDLE"),
        ])
    func idle(seconds: Double, expected: String) {
        #expect(Self.text(SamplingConditions(trip: .none, idleSeconds: seconds)) == expected)
    }

    @Test(
        "a vehicle at 1.5 m/s or more is not idle",
        arguments: [(0, "IDLE"), (1.499, "IDLE"), (1.5, "NO_TRIP"), (1.501, "NO_TRIP")])
    func moving(speed: Double, reason: String) {
        let conditions = SamplingConditions(trip: .none, idleSeconds: 600, speedMetersPerSecond: speed)
        #expect("\(SamplingAdvice(conditions).reason.rawValue)" == reason)
    }

    @Test("a driver with a trip is not idle, even after an hour without movement")
    func standing() {
        for trip in [Trip.toPickup, .onTrip] {
            let standing = SamplingConditions(trip: trip, idleSeconds: 3600, speedMetersPerSecond: 0)
            let moment = SamplingConditions(trip: trip, speedMetersPerSecond: 0)
            #expect(SamplingAdvice(standing) == SamplingAdvice(moment))
        }
    }

    @Test(
        "on a trip the interval depends on the speed; on the way to the pickup it does not",
        arguments: [
            (0, 8000), (3, 8000), (5.5, 8000), (5.6, 4000), (8, 4000), (13.8, 4000), (13.9, 2000), (16, 2000),
            (nil, 4000),
        ] as [(Double?, Int)])
    func speeds(speed: Double?, milliseconds: Int) {
        let conditions = SamplingConditions(trip: .onTrip, speedMetersPerSecond: speed)
        #expect(Self.text(conditions) == "\(milliseconds) ten_meters 20 ON_TRIP")
        let toPickup = SamplingConditions(trip: .toPickup, speedMetersPerSecond: speed)
        #expect(Self.text(toPickup) == "2000 best 10 TO_PICKUP")
    }

    @Test("in the background, the interval is 300 s without a trip and unchanged on a trip")
    func background() {
        for (idle, speed) in [(0.0, 9.0), (301, 0)] {
            let conditions = SamplingConditions(
                trip: .none, idleSeconds: idle, speedMetersPerSecond: speed, isInBackground: true)
            #expect(Self.text(conditions) == "300000 low 0 BACKGROUND")
        }
        #expect(Self.text(SamplingConditions(trip: .toPickup, isInBackground: true)) == "2000 best 10 TO_PICKUP")
        #expect(Self.text(SamplingConditions(trip: .onTrip, isInBackground: true)) == "4000 ten_meters 20 ON_TRIP")
    }

    @Test(
        "without a trip, the batch size depends on network and battery",
        arguments: [
            (nil, 80, 1), (.wifi, 80, 1), (.fifthGeneration, 80, 1), (.fourthGeneration, 80, 1), (.cellular, 80, 1),
            (.thirdGeneration, 80, 5), (.secondGeneration, 80, 10), (.notConnected, 80, 20), (.wifi, 20, 1),
            (.wifi, 19, 5), (.secondGeneration, 19, 5), (.wifi, 9, 5), (.notConnected, 9, 20),
        ] as [(NetworkType?, Int, Int)])
    func batches(network: NetworkType?, percent: Int, size: Int) {
        let conditions = SamplingConditions(trip: .none, network: network, batteryPercent: percent)
        #expect(SamplingAdvice(conditions).batchSize == size)
    }

    @Test("while connected, a batch delays its first position by at most 300 s; there are no batches on a trip")
    func batchDelay() {
        for network in NetworkType.allCases where network != .notConnected {
            for percent in [nil, 0, 9, 10, 19, 20, 100] {
                for trip in Trip.allCases {
                    for (idle, isInBackground) in [(0.0, false), (301, false), (0, true)] {
                        let advice = SamplingAdvice(
                            SamplingConditions(
                                trip: trip, idleSeconds: idle, isInBackground: isInBackground, network: network,
                                batteryPercent: percent))
                        #expect(advice.batchSize * advice.intervalMilliseconds <= 300_000)
                        if trip != .none { #expect(advice.batchSize == 1) }
                    }
                }
            }
        }
    }

    @Test(
        "a battery below 20 % that is not charging doubles the interval",
        arguments: [
            (19, false, 60_000), (20, false, 30_000), (21, false, 30_000), (0, false, 60_000), (19, true, 30_000),
            (19, nil, 60_000), (nil, false, 30_000), (nil, nil, 30_000),
        ] as [(Int?, Bool?, Int)])
    func battery(percent: Int?, isCharging: Bool?, milliseconds: Int) {
        let conditions = SamplingConditions(trip: .none, batteryPercent: percent, isCharging: isCharging)
        let advice = SamplingAdvice(conditions)
        #expect(advice.intervalMilliseconds == milliseconds)
        #expect(advice.reason == (milliseconds == 30_000 ? .noTrip : .lowBattery))
        #expect(advice.accuracy == .cityBlock)
    }

    @Test("a low battery changes the interval and the reason, but neither accuracy nor distance filter")
    func lowBattery() {
        func low(_ trip: Trip, idle: Double = 0) -> String {
            Self.text(SamplingConditions(trip: trip, idleSeconds: idle, batteryPercent: 5, isCharging: false))
        }
        #expect(low(.none) == "60000 city_block 0 LOW_BATTERY")
        #expect(low(.none, idle: 301) == "240000 low 0 LOW_BATTERY")
        #expect(low(.toPickup) == "4000 best 10 LOW_BATTERY")
        #expect(low(.onTrip) == "8000 ten_meters 20 LOW_BATTERY")
        let slow = SamplingConditions(trip: .onTrip, speedMetersPerSecond: 2, batteryPercent: 5)
        #expect(Self.text(slow) == "8000 ten_meters 20 ON_TRIP", "as with a charged battery")
        let hidden = SamplingConditions(trip: .none, isInBackground: true, batteryPercent: 5)
        #expect(Self.text(hidden) == "300000 low 0 BACKGROUND", "the maximum interval")
    }

    @Test("the interval on a trip is at most 8 s with any battery")
    func longest() {
        var longest = 0
        for trip in [Trip.toPickup, .onTrip] {
            for percent in [nil, 0, 19, 20, 100] {
                for isCharging in [nil, false, true] {
                    let conditions = SamplingConditions(
                        trip: trip, idleSeconds: 1000, batteryPercent: percent, isCharging: isCharging)
                    longest = max(longest, SamplingAdvice(conditions).intervalMilliseconds)
                }
            }
        }
        #expect(longest == 8000)
    }

    @Test("the phase is toPickup from acceptance to the start, onTrip until the end, and none in other states")
    func states() {
        #expect(Trip(nil) == .none)
        let expected: [TripState: Trip] = [
            .requested: .none, .accepted: .toPickup, .arrived: .toPickup, .inProgress: .onTrip, .completed: .none,
            .cancelled: .none,
        ]
        for state in TripState.allCases { #expect(Trip(state) == expected[state], "\(state)") }
    }

    @Test("the message is one JSON object")
    func message() {
        #expect(
            String(buffer: SamplingAdvice(SamplingConditions(trip: .onTrip)).message)
                == #"{"type":"location_config","interval_ms":4000,"accuracy":"ten_meters","#
                + #""distance_filter_meters":20,"batch_size":1,"reason":"ON_TRIP"}"#)
    }

    @Test("different conditions can have equal advice; a low battery changes the advice")
    func changes() {
        let advice = SamplingAdvice(SamplingConditions(trip: .none))
        var conditions = SamplingConditions(
            trip: .none, idleSeconds: 299, speedMetersPerSecond: 8, batteryPercent: 20)
        #expect(SamplingAdvice(conditions) == advice)
        conditions.batteryPercent = 19
        #expect(SamplingAdvice(conditions) != advice)
        conditions.isCharging = true
        #expect(SamplingAdvice(conditions) == advice)
    }
}
