import TestSupport
import Testing

@testable import Domain
@testable import Evaluation
@testable import Recordings
@testable import Runtime
@testable import Support

struct ArrivalReplayTests {
    /// Returns a log of six vehicles that start on one road every ten minutes, at three speeds.
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

    private static func replay(
        _ log: VehicleLog, trips: [RecordedTrip], publishedETA: PublishedETASettings = .ride
    ) -> [ArrivalSeries] {
        var settings = ArrivalSettings()
        settings.ridePublishedETA = publishedETA
        return ArrivalReplay(speeds: SpeedBook(entries: []), arrival: settings).run(log, trips: trips)
            .flatMap(\.series)
    }

    private static func trips(_ log: VehicleLog) -> [RecordedTrip] {
        DrivenTrips(of: log).trips(planner: SpeedBook(entries: []))
    }

    @Test("A vehicle that drives as planned arrives within 15 s of the prediction on average")
    func asPlanned() throws {
        var drive = HandMadeLog(speed: SpeedBook.usualSpeed(meters: 8000))
        drive.drive(seconds: 8000 / drive.speed)
        var log = VehicleLog()
        log.vehicles = [drive.vehicle]
        // Published times are a little early by design, so the median is published instead.
        let series = Self.replay(log, trips: Self.trips(log), publishedETA: .middle)
        // Arrivals are predicted every 1,500 m and at the end, if reached after at least five minutes.
        #expect(series.count == 4)
        let samples = series.flatMap(\.samples)
        #expect(samples.count > 100)
        for method in [ArrivalMethod.ours, .shown, .meanSpeed] {
            let errors = ErrorFigures(errors: samples.compactMap { $0.errors[method] })
            #expect(errors.count > samples.count * 9 / 10 && errors.meanAbsoluteSeconds < 15, "\(method): \(errors)")
        }
    }

    @Test("No prediction depends on later fixes", arguments: [400.0, 1500.0, 3100.0])
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

    @Test("One timestamp years ahead does not end the predictions of a trip")
    func futureTimestamp() {
        var drive = HandMadeLog()
        drive.drive(seconds: 400)
        drive.add(drive.place, after: 1e8)
        drive.add(drive.place, after: -1e8 + 1)
        drive.drive(seconds: 600)
        var log = VehicleLog()
        log.vehicles = [drive.vehicle]
        let trips = Self.trips(log)
        #expect(trips.count == 1)
        let late = Self.replay(log, trips: trips).flatMap(\.samples).filter { $0.horizonSeconds < 120 }
        #expect(late.count > 50)
    }

    private struct Key: Hashable {
        var trip: String
        var at: Timestamp
    }

    @Test("Road speeds learned on previous days reduce the errors of the next days")
    func days() throws {
        var log = VehicleLog()
        for day in 0..<3 {
            var drive = HandMadeLog(
                id: "car-\(day)", tripID: "trip-\(day)", speed: 14, startSecond: 1_700_000_000 + 86_400 * Double(day))
            drive.intervalSeconds = 5
            drive.drive(seconds: 900)
            log.vehicles.append(drive.vehicle)
        }
        let trips = Self.trips(log)
        #expect(trips.count == 3)
        let series = Self.replay(log, trips: trips)
        func error(_ isIncluded: (ArrivalSeries) -> Bool) -> Double {
            ErrorFigures(of: series.filter(isIncluded), by: .ours, in: .whole).meanAbsoluteSeconds
        }
        #expect(error { $0.tripID != trips[0].id } < 0.8 * error { $0.tripID == trips[0].id })
    }

    @Test("Predictions end with the arrival, and no predicted time is in the past")
    func ends() {
        let log = Self.log()
        for series in Self.replay(log, trips: Self.trips(log)) {
            #expect(series.samples.allSatisfy { $0.at <= series.arrivedAt && $0.horizonSeconds >= 0 })
            #expect(
                series.samples.allSatisfy { sample in
                    ArrivalMethod.allCases.allSatisfy { sample.horizonSeconds + (sample.errors[$0] ?? 0) >= 0 }
                })
        }
    }

    @Test("Predictions are sampled at most every five seconds")
    func sampling() {
        let dense = Self.replay(Self.log(interval: 1), trips: Self.trips(Self.log(interval: 1)))
        for series in dense {
            let gaps = zip(series.samples, series.samples.dropFirst()).map { $1.at.seconds(since: $0.at) }
            #expect(gaps.allSatisfy { $0 >= 5 })
        }
    }

    @Test("Each recording with trips has two tables and a row in the last table")
    func tables() {
        var small = Self.log()
        small.vehicles.removeLast(4)
        let report = ArrivalEvaluation().report(
            on: [
                .init(name: "small", log: small), .init(name: "large", log: Self.log()),
                .init(name: "empty", log: VehicleLog()),
            ])
        #expect(report.recordings.map { $0.arrivals > 0 } == [true, true, false])
        let titles = report.tables.map(\.title)
        #expect(["small", "large", "empty"].map { name in titles.count { $0.hasPrefix(name) } } == [2, 2, 1])
        #expect(report.tables.last?.rows.map { $0[0] } == ["small", "large"])
        #expect(ArrivalEvaluation().report(on: []).tables.isEmpty)
    }

    @Test("Irregular logs give finite figures", arguments: UInt64(1)...4)
    func irregularLogs(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var log = VehicleLog()
        for index in 0..<4 {
            var drive = HandMadeLog(
                id: "odd-\(index)", tripID: index < 2 ? nil : "run-\(index)", jitterMeters: 20, seed: seed)
            drive.intervalSeconds = [0.5, 1, 30, 120].randomElement(using: &generator) ?? 1
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                drive.drive(seconds: Double.random(in: 0...400, using: &generator))
                // Adds repeated positions, steps back in time, wrong times and positions, and long gaps.
                drive.add(drive.place, after: Double.random(in: -30...0, using: &generator))
                drive.add(HandMadeLog.place(-5e6), after: 0.3)
                drive.wait(seconds: [0, 50, 1000].randomElement(using: &generator) ?? 0)
                if Int.random(in: 0..<8, using: &generator) == 0 {
                    drive.add(drive.place, after: 1e8)
                    drive.add(drive.place, after: -1e8)
                }
            }
            log.vehicles.append(drive.vehicle)
        }
        let report = ArrivalEvaluation().report(on: [.init(name: "odd", log: log)])
        for bucket in report.recordings.flatMap(\.buckets) {
            #expect(bucket.errors.meanAbsoluteSeconds.isFinite, "seed \(seed)")
            #expect(bucket.interval.meanWidthSeconds?.isFinite ?? true, "seed \(seed)")
        }
        #expect(throws: Never.self, "seed \(seed)") { try report.json() }
        #expect(!report.tables.map(\.text).joined().contains("nan"), "seed \(seed)")
    }
}
