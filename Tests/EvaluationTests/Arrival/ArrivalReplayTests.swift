import Recordings
import Testing
import Tracking

@testable import Evaluation

struct ArrivalReplayTests {
    /// Six vehicles on one road, one after the other, at different speeds.
    private static func log(interval: Double = 5) -> VehicleLog {
        var log = VehicleLog()
        for (index, speed) in [8.0, 10, 12, 8, 10, 12].enumerated() {
            var drive = HandMadeLog(
                id: "car-\(index)", tripID: "trip-\(index)", speed: speed,
                startSecond: 1_700_000_000 + 600 * Double(index))
            drive.intervalSeconds = interval
            drive.drive(seconds: 900)
            log.vehicles.append(drive.vehicle)
        }
        return log
    }

    private static func replay(_ log: VehicleLog, trips: [RecordedTrip], isLearning: Bool = true) -> [ArrivalSeries] {
        var settings = ArrivalReplay.Settings()
        settings.isLearning = isLearning
        return ArrivalReplay(settings: settings, speeds: SpeedBook(entries: [])).run(log, trips: trips).series
    }

    private static func trips(_ log: VehicleLog) -> [RecordedTrip] {
        DrivenTrips(of: log).trips(planner: SpeedBook(entries: []))
    }

    @Test("A vehicle that drives as planned arrives as predicted")
    func asPlanned() throws {
        var drive = HandMadeLog(speed: SpeedBook.usualSpeed(meters: 8000))
        drive.drive(seconds: 8000 / drive.speed)
        var log = VehicleLog()
        log.vehicles = [drive.vehicle]
        let series = Self.replay(log, trips: Self.trips(log))
        // Every 1,500 m and the end, from five minutes on.
        #expect(series.count == 4)
        let samples = series.flatMap(\.samples)
        #expect(samples.count > 100)
        for method in [ArrivalMethod.ours, .shown, .meanSpeed] {
            let errors = ErrorFigures(errors: samples.compactMap { $0.errors[method] })
            #expect(errors.count > samples.count * 9 / 10 && errors.meanAbsoluteSeconds < 15, "\(method): \(errors)")
        }
    }

    @Test("No prediction knows anything of what comes after it", arguments: [400.0, 1500.0, 3100.0])
    func causality(cutSeconds: Double) {
        let log = Self.log()
        let trips = Self.trips(log)
        let cut = Timestamp(milliseconds: 1_700_000_000_000 + Int64(cutSeconds * 1000))
        var early = log
        for index in early.vehicles.indices {
            let kept = early.vehicles[index].trace.fixes.prefix { ($0.deviceAt ?? cut) <= cut }.count
            var trace = RecordedTrace(id: log.vehicles[index].trace.id, driverID: log.vehicles[index].trace.driverID)
            trace.fixes = Array(log.vehicles[index].trace.fixes.prefix(kept))
            trace.truth = Array(repeating: nil, count: kept)
            trace.isSpoofed = Array(repeating: false, count: kept)
            early.vehicles[index] = .init(trace: trace, labels: Array(log.vehicles[index].labels.prefix(kept)))
        }
        func known(_ series: [ArrivalSeries]) -> [Key: [ArrivalSample]] {
            Dictionary(
                series.map { (Key(trip: $0.tripID, at: $0.arrivedAt), $0.samples.filter { $0.at <= cut }) },
                uniquingKeysWith: { first, _ in first }
            ).filter { !$0.value.isEmpty }
        }
        let whole = known(Self.replay(log, trips: trips))
        #expect(!whole.isEmpty)
        #expect(whole == known(Self.replay(early, trips: trips)))
    }

    private struct Key: Hashable {
        var trip: String
        var at: Timestamp
    }

    @Test("A vehicle alone is predicted the same whether or not paces are learned from others")
    func noOthers() {
        var log = Self.log()
        log.vehicles = [log.vehicles[0]]
        let trips = Self.trips(log)
        // What it learns lies behind it, apart from the cell that it is in.
        let learned = ErrorFigures(of: Self.replay(log, trips: trips), by: .ours, in: .whole)
        let plain = ErrorFigures(of: Self.replay(log, trips: trips, isLearning: false), by: .ours, in: .whole)
        #expect(learned.count == plain.count)
        #expect(abs(learned.meanAbsoluteSeconds - plain.meanAbsoluteSeconds) < 10)
    }

    @Test("Predictions end with the arrival, and every error is that of a time not in the past")
    func ends() {
        let log = Self.log()
        for series in Self.replay(log, trips: Self.trips(log)) {
            #expect(series.samples.allSatisfy { $0.at <= series.arrivedAt && $0.horizonSeconds >= 0 })
            #expect(
                series.samples.allSatisfy { sample in
                    ArrivalMethod.allCases.allSatisfy { (sample.predictedSeconds($0) ?? 0) >= 0 }
                })
        }
    }

    @Test("Ten fixes a second are sampled like one every five seconds")
    func sampling() {
        let dense = Self.replay(Self.log(interval: 1), trips: Self.trips(Self.log(interval: 1)))
        for series in dense {
            let gaps = zip(series.samples, series.samples.dropFirst()).map { $1.at.seconds(since: $0.at) }
            #expect(gaps.allSatisfy { $0 >= 5 })
        }
    }
}
