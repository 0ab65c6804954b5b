import Codec
import Model
import Support
import TestSupport
import Testing
import EtaWorker

@Suite("Learned paces in the eta stage")
struct LearnedPacesTests {
    /// A partition whose trips look at what was learned all the time, and which has to forget.
    private func partition(seed: UInt64, seconds: Double = 250, capacity: Int = 64) -> EtaPartition {
        let traffic = SimulatedTraffic(drivers: 8, seconds: seconds, seed: seed, cheaterShare: 0)
        var partition = EtaPartition(raw: traffic.raw, trips: traffic.trips)
        partition.arrival.expectationSeconds = 10
        partition.arrival.paces.capacity = capacity
        return partition
    }

    private func expectSame(_ found: EtaPartition.Written, _ expected: EtaPartition.Written, _ what: Comment) {
        let difference = zip(found.changelog.texts, expected.changelog.texts).first { $0 != $1 }
        #expect(difference == nil, what)
        #expect(found.changelog.records.count == expected.changelog.records.count, what)
        #expect(found.changelog.records.map(\.state) == expected.changelog.records.map(\.state), what)
    }

    @Test(
        "a partition restored at the end of every batch gives the bytes of one that never stopped",
        arguments: [UInt64(41)])
    func restoredAtEveryBatch(seed: UInt64) {
        let partition = partition(seed: seed)
        let undisturbed = partition.run()
        #expect(undisturbed.paces.records.count > 100)
        var written = EtaPartition.Written()
        for end in stride(from: 40, to: partition.steps.count, by: 40) {
            written = partition.goOn(from: written, until: end)
        }
        written = partition.goOn(from: written)
        expectSame(written, undisturbed, "seed \(seed)")
    }

    @Test(
        "a death at any output, also within a checkpoint, changes no byte of the changelog",
        arguments: [UInt64(42), 43])
    func deathAnywhere(seed: UInt64) {
        let partition = partition(seed: seed)
        let undisturbed = partition.run()
        var generator = SeededGenerator(seed: seed)
        let checkpointed = undisturbed.order.indices.filter { !undisturbed.order[$0] }
        let deaths =
            (0..<4).map { _ in Int.random(in: 1..<undisturbed.order.count, using: &generator) }
            + (0..<4).compactMap { _ in checkpointed.randomElement(using: &generator) }
        for death in deaths {
            let once = partition.goOn(from: undisturbed.prefix(death))
            expectSame(once, undisturbed, "seed \(seed), died after \(death)")
            let again = Int.random(in: death..<once.order.count, using: &generator)
            expectSame(
                partition.goOn(from: once.prefix(again)), undisturbed, "seed \(seed), died at \(death) and \(again)")
        }
    }

    @Test("what is learned counts: without its topic a restored partition tells other arrival times")
    func topicCounts() {
        let partition = partition(seed: 44, seconds: 500, capacity: 4096)
        let undisturbed = partition.run()
        // So late that the first lessons are not in the changelog's last minutes any more.
        var part = undisturbed.prefix(undisturbed.order.count * 9 / 10)
        part.paces = RecordedTopic()
        let found = partition.goOn(from: part)
        #expect(found.changelog.records.count == undisturbed.changelog.records.count)
        #expect(zip(found.changelog.texts, undisturbed.changelog.texts).count { $0 != $1 } > 10)
    }

    @Test("compaction between a death and the restore takes nothing away")
    func compactedBefore() {
        let partition = partition(seed: 45)
        let undisturbed = partition.run()
        // The last whole checkpoint before the middle.
        let middle = undisturbed.order.indices.last { $0 < undisturbed.order.count / 2 && !undisturbed.order[$0] } ?? 0
        var part = undisturbed.prefix(middle + 1)
        let kept = part.paces.records.indices.filter { index in
            !part.paces.records[(index + 1)...].contains { $0.key == part.paces.records[index].key }
        }
        #expect(kept.count < part.paces.records.count)
        part.paces.records = kept.map { part.paces.records[$0] }
        part.order = part.paces.records.map { _ in false } + part.changelog.records.map { _ in true }
        expectSame(partition.goOn(from: part), undisturbed, "seed 45")
    }

    @Test("a process that no longer holds the partition and writes its checkpoint late changes nothing")
    func lateCheckpoint() {
        let partition = partition(seed: 46)
        let undisturbed = partition.run()
        var part = undisturbed.prefix(undisturbed.order.count * 9 / 10)
        let ends = part.paces.records.indices.filter { part.paces.records[$0].key == Array("checkpoint".utf8) }
        #expect(ends.count >= 3)
        part.paces.records += part.paces.records[...ends[0]]
        part.order += (0...ends[0]).map { _ in false }
        let once = partition.goOn(from: part)
        expectSame(once, undisturbed, "seed 46")
        // Where compaction would keep what came late, what counts has been written again behind it.
        let late = part.paces.records.suffix(ends[0])
        let newer = Set(part.paces.records[(ends[0] + 1)...].dropLast(ends[0] + 1).map(\.key))
        let again = Set(once.paces.records[part.paces.records.count...].map(\.key))
        #expect(newer.intersection(late.map(\.key)).count > 10)
        #expect(newer.intersection(late.map(\.key)).isSubset(of: again))
    }

    @Test("the topic holds what the memory holds and no more: what is displaced becomes a tombstone")
    func boundHolds() {
        let partition = partition(seed: 47, seconds: 600)
        let written = partition.run()
        #expect(written.paces.records.contains { $0.value == nil })
        #expect(Set(written.paces.records.map(\.key)).count > 128)
        var held: Set<[UInt8]> = []
        for record in written.paces.records {
            if record.key == Array("checkpoint".utf8) {
                #expect(held.count <= 64)
            } else if record.value == nil {
                held.remove(record.key)
            } else {
                held.insert(record.key)
            }
        }
        #expect(held.count > 32)
    }

    @Test("each checkpoint writes an entry once, however often it was driven")
    func coalesced() {
        let written = partition(seed: 48, capacity: 4096).run()
        var seen: Set<[UInt8]> = []
        for record in written.paces.records {
            if record.key == Array("checkpoint".utf8) {
                seen = []
            } else {
                #expect(seen.insert(record.key).inserted)
            }
        }
        let lessons = written.changelog.records.count
        #expect(written.paces.records.count < lessons, "\(written.paces.records.count) for \(lessons)")
    }

    // MARK: Two trips over one road

    /// The beginning of an hour, UTC.
    private static let start = Timestamp(milliseconds: 1_770_001_200_000)
    /// Metres of the road, due north; the plan says 10 m/s, and all drive at 5.
    private static let roadMeters = 6000.0

    private static func latitude(_ meters: Double) -> Double { 37.7 + meters / 111_195 }

    private func addTrip(_ trip: String, driver: String, at seconds: Double, to topic: inout RecordedTopic) {
        let ends = [0, Self.roadMeters].map { Coordinate(latitude: Self.latitude($0), longitude: -122.41) }
        let stops = zip(["PICKUP", "DROPOFF"], ends).map { kind, end in
            """
            {"stop_id":"\(trip)-\(kind)","kind":"\(kind)","latitude":\(end.latitude),"longitude":\(end.longitude)}
            """
        }
        let line = Polyline.encode(ends, precision: 5).replacing("\\", with: "\\\\")
        let route = """
            {"polyline":"\(line)","distance_meters":\(Self.roadMeters),\
            "duration_seconds":\(Self.roadMeters / 10)}
            """
        let text = """
            {"trip_id":"\(trip)","driver_id":"\(driver)","rider_id":"r","kind":"ride","state":"IN_PROGRESS","version":1,\
            "stops":[\(stops.joined(separator: ","))],"route":\(route)}
            """
        topic.records.append(
            .init(
                key: Array(driver.utf8), value: Array(text.utf8), timestamp: Self.start.advanced(bySeconds: seconds)))
    }

    private func addDrive(_ driver: String, from seconds: Double, to topic: inout RecordedTopic) {
        for step in 0...Int(Self.roadMeters / 50) {
            let at = Self.start.advanced(bySeconds: seconds + Double(step) * 10)
            let text = """
                {"type":"location","driver_id":"\(driver)","sequence":\(step + 1),"payload":{"latitude":\
                \(Self.latitude(Double(step) * 50)),"longitude":-122.41,"accuracy_meters":5,"speed_mps":5,"heading":0,\
                "timestamp":\(at.milliseconds)}}
                """
            topic.records.append(.init(key: Array(driver.utf8), value: Array(text.utf8), timestamp: at))
        }
    }

    /// How far the first arrival times of each trip, those of its first minute, are from what it took, in seconds.
    private func firstErrors(_ partition: EtaPartition, starts: [(trip: String, seconds: Double)]) -> [Double] {
        let reader = TripEtaReader()
        var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Self.start)
        var worst = Array(repeating: 0.0, count: starts.count)
        for record in partition.run().changelog.records {
            (record.value ?? []).withUnsafeBytes { bytes in
                guard reader.read(ByteSlice(bytes), into: &eta) != nil, let arrives = eta.stops.last?.arrivesAt else {
                    return
                }
                for (index, start) in starts.enumerated() where start.trip == eta.tripID {
                    guard record.timestamp.seconds(since: Self.start) < start.seconds + 60 else { continue }
                    let arrival = Self.start.advanced(bySeconds: start.seconds + Self.roadMeters / 5)
                    worst[index] = max(worst[index], abs(arrives.seconds(since: arrival)))
                }
            }
        }
        return worst
    }

    @Test("later trips over the same road at the same hour get better arrival times than the first")
    func laterTripsKnow() {
        var (raw, trips) = (RecordedTopic(), RecordedTopic())
        var starts: [(trip: String, seconds: Double)] = []
        for number in 0..<4 {
            let seconds = Double(number) * 400
            starts.append(("t\(number)", seconds))
            addTrip("t\(number)", driver: "d\(number)", at: seconds, to: &trips)
            addDrive("d\(number)", from: seconds, to: &raw)
        }
        raw.records.sort { $0.timestamp < $1.timestamp }
        let errors = firstErrors(EtaPartition(raw: raw, trips: trips), starts: starts)
        // The plan of 600 s is 600 s short. The second trip starts when the first has driven a third of the road.
        #expect(errors[0] > 500, "\(errors)")
        // Without what was learned all would be alike; with it each takes 50 s and more off. Not all 600: a trip that
        // has been driving for a minute believes its plan as much as six passes of a road.
        for (earlier, later) in zip(errors, errors.dropFirst()) { #expect(later < earlier - 40, "\(errors)") }
        #expect(errors[3] < errors[0] - 140, "\(errors)")
    }
}
