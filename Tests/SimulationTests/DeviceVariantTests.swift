import Foundation
import Testing

@testable import Simulation

@Suite("Unusual honest devices")
struct DeviceVariantTests {
    /// Returns the records of each driver with `variant`, in a fleet of unusual devices.
    private func records(
        _ variant: DeviceVariant, seconds: Double = 400, change: (inout FleetConfiguration) -> Void = { _ in }
    ) -> [[SimulatedEvent.RawRecord]] {
        var configuration = Fleet.configuration(drivers: 25, seed: 2)
        configuration.cheaterShare = 0
        configuration.unusualDeviceShare = 1
        change(&configuration)
        var fleet = FleetSimulation(configuration: configuration)
        let events = Fleet.events(&fleet, seconds: seconds)
        let ids = Set(fleet.drivers.filter { $0.variant == variant }.map(\.driverID))
        let records = events.compactMap { event -> SimulatedEvent.RawRecord? in
            if case .rawRecord(let record) = event, ids.contains(record.key) { record } else { nil }
        }
        return Dictionary(grouping: records, by: \.key).sorted { $0.key < $1.key }.map(\.value)
    }

    private func fixes(_ records: [SimulatedEvent.RawRecord]) -> [FixGroundTruth] {
        records.filter { !$0.isRepeat }.flatMap(\.fixes).sorted { $0.takenAt < $1.takenAt }
    }

    @Test("exactly the requested share of honest drivers has unusual devices, divided evenly over the variants")
    func shares() {
        var configuration = Fleet.configuration(drivers: 125)
        configuration.cheaterShare = 0.2
        configuration.rawReceiverShare = 0.5
        configuration.unusualDeviceShare = 0.1
        let drivers = FleetSimulation(configuration: configuration).drivers
        for variant in DeviceVariant.unusual { #expect(drivers.count { $0.variant == variant } == 2) }
        let unusual = drivers.filter { $0.variant != .usual }
        #expect(unusual.allSatisfy { $0.cheat == nil && $0.receiver == .phone })
    }

    @Test("the default fleet has all variants")
    func defaults() {
        let configuration = FleetConfiguration(drivers: 200, start: Fleet.start)
        let variants = Set(FleetSimulation(configuration: configuration).drivers.map(\.variant))
        #expect(variants == Set(DeviceVariant.allCases))
    }

    @Test("coarse coordinates have four decimals")
    func coarse() {
        let fixes = records(.coarseCoordinates, seconds: 60).flatMap(fixes)
        #expect(fixes.count > 100)
        #expect(fixes.allSatisfy { CoordinateRounding.fourDigits.rounded($0.reported) == $0.reported })
    }

    @Test("rare reports are at least 20 s apart, also on a trip")
    func rare() {
        var pairs = 0
        for records in records(.rareReports, seconds: 1200, change: { $0.onlineIntervalSeconds = 20 }) {
            let fixes = fixes(records)
            for (left, right) in zip(fixes, fixes.dropFirst()) {
                #expect(right.takenAt.seconds(since: left.takenAt) >= 20)
                if left.isOnTrip { pairs += 1 }
            }
        }
        #expect(pairs > 10)
    }

    @Test("an app without sessions restarts its sequence numbers, and may lose the first fixes after a restart")
    func restarts() {
        var restarts = 0
        var firstNumbers: Set<Int64> = []
        for records in records(.restartsWithoutSession) {
            #expect(records.allSatisfy { !String(decoding: $0.value, as: UTF8.self).contains("session_id") })
            let fixes = fixes(records)
            for (left, right) in zip(fixes, fixes.dropFirst()) where right.sequence < left.sequence {
                restarts += 1
                firstNumbers.insert(right.sequence)
                #expect(right.takenAt > left.takenAt)
            }
        }
        #expect(restarts > 5 && firstNumbers.contains { $0 > 5 })
    }

    @Test("a retry with different bytes has the same sequence number, and its time truncated to seconds")
    func retries() {
        var different = 0
        for records in records(.roundedRetries) {
            let first = Dictionary(
                records.filter { !$0.isRepeat && $0.fixes.count == 1 }.map { ($0.fixes[0].sequence, $0) },
                uniquingKeysWith: { first, _ in first })
            for retry in records where retry.isRepeat && retry.fixes.count == 1 {
                guard let before = first[retry.fixes[0].sequence], before.value != retry.value,
                    let (old, new) = Self.times(before.value, retry.value)
                else { continue }
                different += 1
                #expect(new == old / 1000 * 1000)
            }
        }
        #expect(different > 20)
    }

    private static func times(_ before: [UInt8], _ retry: [UInt8]) -> (Int64, Int64)? {
        guard let old = Fleet.deviceTime(in: before), let new = Fleet.deviceTime(in: retry) else { return nil }
        return (old.milliseconds, new.milliseconds)
    }

    @Test("a counter of 8 or 16 bits wraps, on some devices with lost fixes")
    func wraps() {
        var gaps: Set<Bool> = []
        var highest: Int64 = 0
        for records in records(.wrappingCounter) {
            let fixes = fixes(records)
            for (left, right) in zip(fixes, fixes.dropFirst()) where right.sequence < left.sequence {
                highest = max(highest, left.sequence)
                gaps.insert(
                    right.sequence >= FixNumbering.lostAtWrap && left.sequence % 256 < 256 - FixNumbering.lostAtWrap)
            }
            #expect(fixes.allSatisfy { $0.sequence < 65_536 })
        }
        #expect(gaps == [true, false] && highest > 65_000)
    }

    @Test("unusual devices do not change the bytes of other drivers")
    func otherDrivers() {
        func run(_ share: Double) -> (fleet: FleetSimulation, events: [SimulatedEvent]) {
            var configuration = Fleet.configuration(seed: 3)
            configuration.unusualDeviceShare = share
            var fleet = FleetSimulation(configuration: configuration)
            let events = Fleet.events(&fleet, seconds: 60)
            return (fleet, events)
        }
        let (fleet, with) = run(0.3)
        let unusual = Set(fleet.drivers.filter { $0.variant != .usual }.map(\.driverID))
        func usual(_ events: [SimulatedEvent]) -> [[UInt8]] {
            Fleet.records(events).filter { !unusual.contains($0.key) }.map(\.value)
        }
        #expect(!unusual.isEmpty && usual(with) == usual(run(0).events))
    }
}
