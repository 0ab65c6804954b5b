import Codec
import Domain
import Processors
import Support
import TestSupport
import Testing

@Suite("Learned road speeds in eta-worker")
struct LearnedRoadSpeedTests {
    /// Returns a partition whose trips often apply learned speeds; the default `capacity` causes evictions.
    private func partition(seed: UInt64, seconds: Double = 250, capacity: Int = 64) -> EtaPartition {
        let traffic = SimulatedTraffic(drivers: 8, seconds: seconds, seed: seed, cheaterShare: 0)
        var partition = EtaPartition(raw: traffic.raw, trips: traffic.trips)
        partition.arrival.expectationSeconds = 10
        partition.arrival.roadSpeeds.capacity = capacity
        return partition
    }

    private func expectSame(_ actual: EtaPartition.Written, _ expected: EtaPartition.Written, _ comment: Comment) {
        let difference = zip(actual.changelog.texts, expected.changelog.texts).first { $0 != $1 }
        #expect(difference == nil, comment)
        #expect(actual.changelog.records.count == expected.changelog.records.count, comment)
        #expect(actual.changelog.records.map(\.state) == expected.changelog.records.map(\.state), comment)
    }

    @Test(
        "a partition restored after every 40 records writes the same changelog as an uninterrupted one",
        arguments: [UInt64(41)])
    func restoredAtEveryBatch(seed: UInt64) {
        let partition = partition(seed: seed)
        let undisturbed = partition.run()
        #expect(undisturbed.roadSpeeds.records.count > 100)
        var written = EtaPartition.Written()
        for end in stride(from: 40, to: partition.steps.count, by: 40) {
            written = partition.resume(from: written, until: end)
        }
        written = partition.resume(from: written)
        expectSame(written, undisturbed, "seed \(seed)")
    }

    @Test(
        "stops at any output, also within a checkpoint, change no byte of the changelog",
        arguments: [UInt64(42), 43])
    func stopAnywhere(seed: UInt64) {
        let partition = partition(seed: seed)
        let undisturbed = partition.run()
        var generator = SeededGenerator(seed: seed)
        let checkpointed = undisturbed.order.indices.filter { !undisturbed.order[$0] }
        let stops =
            (0..<4).map { _ in Int.random(in: 1..<undisturbed.order.count, using: &generator) }
            + (0..<4).compactMap { _ in checkpointed.randomElement(using: &generator) }
        for stop in stops {
            let once = partition.resume(from: undisturbed.prefix(stop))
            expectSame(once, undisturbed, "seed \(seed), stopped after \(stop)")
            let second = Int.random(in: stop..<once.order.count, using: &generator)
            expectSame(
                partition.resume(from: once.prefix(second)), undisturbed,
                "seed \(seed), stopped at \(stop) and \(second)")
        }
    }

    @Test("a partition restored without the topic of learned speeds has different arrival times")
    func withoutTopic() {
        let partition = partition(seed: 44, seconds: 500, capacity: 4096)
        let undisturbed = partition.run()
        // The stop is so late that a restore does not read the first observations from the changelog.
        var part = undisturbed.prefix(undisturbed.order.count * 9 / 10)
        part.roadSpeeds = RecordedTopic()
        let restored = partition.resume(from: part)
        #expect(restored.changelog.records.count == undisturbed.changelog.records.count)
        #expect(zip(restored.changelog.texts, undisturbed.changelog.texts).count { $0 != $1 } > 10)
    }

    @Test("compaction between a stop and the restore changes no changelog record")
    func compactedBefore() {
        let partition = partition(seed: 45)
        let undisturbed = partition.run()
        // The last record of road speeds in the first half of the output.
        let last = undisturbed.order.indices.last { $0 < undisturbed.order.count / 2 && !undisturbed.order[$0] } ?? 0
        var part = undisturbed.prefix(last + 1)
        let newest = part.roadSpeeds.records.indices.filter { index in
            !part.roadSpeeds.records[(index + 1)...].contains { $0.key == part.roadSpeeds.records[index].key }
        }
        #expect(newest.count < part.roadSpeeds.records.count)
        part.roadSpeeds.records = newest.map { part.roadSpeeds.records[$0] }
        part.order = part.roadSpeeds.records.map { _ in false } + part.changelog.records.map { _ in true }
        expectSame(partition.resume(from: part), undisturbed, "seed 45")
    }

    @Test("a late checkpoint of the partition's former owner changes no changelog record")
    func lateCheckpoint() {
        let partition = partition(seed: 46)
        let undisturbed = partition.run()
        var part = undisturbed.prefix(undisturbed.order.count * 9 / 10)
        let ends = part.roadSpeeds.records.indices.filter {
            part.roadSpeeds.records[$0].key == Array("checkpoint".utf8)
        }
        #expect(ends.count >= 3)
        part.roadSpeeds.records += part.roadSpeeds.records[...ends[0]]
        part.order += (0...ends[0]).map { _ in false }
        let once = partition.resume(from: part)
        expectSame(once, undisturbed, "seed 46")
        // The restore rewrites the keys of the late records, because compaction would keep the late values.
        let late = part.roadSpeeds.records.suffix(ends[0])
        let newer = Set(part.roadSpeeds.records[(ends[0] + 1)...].dropLast(ends[0] + 1).map(\.key))
        let rewritten = Set(once.roadSpeeds.records[part.roadSpeeds.records.count...].map(\.key))
        #expect(newer.intersection(late.map(\.key)).count > 10)
        #expect(newer.intersection(late.map(\.key)).isSubset(of: rewritten))
    }

    @Test("the topic has no more entries than the table's capacity, and evicted entries become tombstones")
    func boundHolds() {
        let partition = partition(seed: 47, seconds: 600)
        let written = partition.run()
        #expect(written.roadSpeeds.records.contains { $0.value == nil })
        #expect(Set(written.roadSpeeds.records.map(\.key)).count > 128)
        var live: Set<[UInt8]> = []
        for record in written.roadSpeeds.records {
            if record.key == Array("checkpoint".utf8) {
                #expect(live.count <= 64)
            } else if record.value == nil {
                live.remove(record.key)
            } else {
                live.insert(record.key)
            }
        }
        #expect(live.count > 32)
    }

    @Test("a checkpoint writes each entry at most once")
    func coalesced() {
        let written = partition(seed: 48, capacity: 4096).run()
        var seen: Set<[UInt8]> = []
        for record in written.roadSpeeds.records {
            if record.key == Array("checkpoint".utf8) {
                seen = []
            } else {
                #expect(seen.insert(record.key).inserted)
            }
        }
        let observations = written.changelog.records.count
        #expect(
            written.roadSpeeds.records.count < observations, "\(written.roadSpeeds.records.count) for \(observations)")
    }

    // MARK: Trips over one road

    /// The beginning of an hour, UTC.
    private static let start = Timestamp(milliseconds: 1_770_001_200_000)
    /// Length of the road, due north; the plan expects 10 m/s, and all drivers drive at 5 m/s.
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

    /// Returns the maximum error of the arrival times in each trip's first minute, in seconds.
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

    @Test("each trip over the same road in the same hour has better arrival times than the trip before")
    func laterTripsImprove() {
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
        // The plan of 600 s is 600 s too short. The second trip starts when the first has driven a third of the road.
        #expect(errors[0] > 500, "\(errors)")
        // Without learned speeds all errors would be equal; with them, each is over 40 s smaller than the one before.
        for (earlier, later) in zip(errors, errors.dropFirst()) { #expect(later < earlier - 40, "\(errors)") }
        #expect(errors[3] < errors[0] - 140, "\(errors)")
    }
}
