import Processors
import Codec
import Domain
import Support
import Testing

@Suite("Rider updates for offline and silent drivers")
struct OfflineBatchTests {
    private static let start = SimulatedTraffic.start

    private struct Published {
        var at: Double
        var update: RiderUpdate
    }

    private static func time(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    /// Returns the fix at `seconds` of the driver, who drives east at 10 m/s.
    private func fix(_ seconds: Double, accuracy: Double = 5) -> String {
        let longitude = 11 + seconds * 10 / 74_488
        return """
            {"type":"location","sequence":\(Int(seconds * 10) + 1),"payload":{"latitude":48,"longitude":\(longitude),\
            "accuracy_meters":\(accuracy),"heading":90,"speed_mps":10,"timestamp":\(Self.time(seconds).milliseconds)}}
            """
    }

    private func batch(_ fixes: [String]) -> String {
        "{\"type\":\"location_batch\",\"locations\":[\(fixes.joined(separator: ","))]}"
    }

    private func append(_ value: String, of key: String = "d1", at seconds: Double, to topic: inout RecordedTopic) {
        topic.records.append(
            .init(key: Array(key.utf8), value: Array(value.utf8), timestamp: Self.time(seconds)))
    }

    /// Adds records of another driver, which advance stream time.
    private func addOtherDriver(from: Double, to: Double, in raw: inout RecordedTopic) {
        for seconds in stride(from: from, to: to, by: 4) {
            append(fix(seconds).replacing("\"latitude\":48", with: "\"latitude\":47"), of: "d2", at: seconds, to: &raw)
        }
    }

    private func partition(_ raw: RecordedTopic) -> EtaPartition {
        var trips = RecordedTopic()
        let end = 11 + 1500 * 10 / 74_488.0
        append(
            """
            {"trip_id":"t1","driver_id":"d1","state":"IN_PROGRESS","version":1,"stops":[{"stop_id":"pickup","latitude":48,\
            "longitude":11},{"stop_id":"dropoff","latitude":48,"longitude":\(end)}]}
            """, at: 0, to: &trips)
        var raw = raw
        raw.records.sort { $0.timestamp < $1.timestamp }
        return EtaPartition(raw: raw, trips: trips)
    }

    private func updates(in topic: RecordedTopic) -> [Published] {
        let reader = RiderUpdateReader()
        var published: [Published] = []
        for offset in topic.records.indices {
            topic.with(offset, input: 0) { record, _ in
                guard let envelope = record.value.flatMap({ reader.read($0) }) else { return }
                published.append(Published(at: record.timestamp.seconds(since: Self.start), update: envelope.update))
            }
        }
        return published
    }

    private func published(_ raw: RecordedTopic) -> [Published] {
        updates(in: BroadcastPartition(etas: partition(raw).run().changelog).resume(from: RecordedTopic()))
    }

    private func locations(_ published: [Published], _ range: Range<Double>) -> [RiderUpdate.DriverLocation] {
        published.filter { range.contains($0.at) }
            .compactMap { if case .driverLocation(let location) = $0.update { location } else { nil } }
    }

    private func etas(_ published: [Published], _ range: Range<Double>) -> [RiderUpdate.EtaUpdate] {
        published.filter { range.contains($0.at) }
            .compactMap { if case .eta(let eta) = $0.update { eta } else { nil } }
    }

    /// Returns a minute of live fixes, then one batch of the offline fixes until `end`.
    private func offline(until end: Double, lastAccuracy: Double = 5) -> RecordedTopic {
        var raw = RecordedTopic()
        for seconds in stride(from: 1.0, through: 61, by: 4) { append(fix(seconds), at: seconds + 0.2, to: &raw) }
        var fixes = stride(from: 65.0, to: end, by: 4).map { fix($0) }
        fixes.append(fix(end, accuracy: lastAccuracy))
        append(batch(fixes), at: end + 0.3, to: &raw)
        return raw
    }

    @Test(
        "riders see only the newest position of an offline batch, immediately and not as stale",
        arguments: [93.0, 241])
    func newest(end: Double) throws {
        var raw = offline(until: end)
        addOtherDriver(from: 3, to: end + 20, in: &raw)
        let published = published(raw)
        let atReceipt = locations(published, end + 0.1..<end + 0.4)
        #expect(atReceipt.count == 1)
        let location = try #require(atReceipt.first)
        #expect(abs(location.fixedAt.seconds(since: Self.time(end))) < 0.5)
        #expect(location.staleSeconds == 0)
        #expect(!location.isStale)
        #expect(abs(location.coordinate.longitude - (11 + end * 10 / 74_488)) < 0.0005)
        #expect(etas(published, end + 0.1..<end + 0.4).count <= 1)
        // The other positions of the batch are never published.
        #expect(locations(published, end + 0.4..<end + 20).isEmpty)
    }

    @Test("if the last fix of a batch is rejected, the newest accepted fix is published within 6 s, with its age")
    func rejectedLast() {
        var raw = offline(until: 93, lastAccuracy: 500)
        addOtherDriver(from: 3, to: 113, in: &raw)
        let published = published(raw)
        #expect(locations(published, 93.1..<93.4).isEmpty)
        let late = locations(published, 93.4..<99)
        #expect(late.count == 1)
        #expect(late.allSatisfy { abs($0.fixedAt.seconds(since: Self.time(89))) < 0.5 })
        #expect(late.allSatisfy { (4...9).contains($0.staleSeconds) })
    }

    @Test(
        "if a device sends its offline fixes one by one, only positions up to 10 s old are published, newest last")
    func queue() {
        var raw = RecordedTopic()
        for seconds in stride(from: 1.0, through: 61, by: 4) { append(fix(seconds), at: seconds + 0.2, to: &raw) }
        for (index, seconds) in stride(from: 65.0, through: 121, by: 4).enumerated() {
            append(fix(seconds), at: 121 + Double(index) * 0.03, to: &raw)
        }
        addOtherDriver(from: 3, to: 141, in: &raw)
        let burst = locations(published(raw), 121..<121.9)
        #expect(burst.map(\.staleSeconds).allSatisfy { $0 <= 10 })
        #expect(burst.count <= 3)
        #expect(burst.last.map { abs($0.fixedAt.seconds(since: Self.time(121))) < 0.5 } == true)
    }

    @Test(
        "a silent driver's position is repeated after 30 s, and as stale after 120 s; its ETA ends after 600 s")
    func silence() throws {
        var raw = RecordedTopic()
        for seconds in stride(from: 1.0, through: 61, by: 4) { append(fix(seconds), at: seconds + 0.2, to: &raw) }
        addOtherDriver(from: 3, to: 800, in: &raw)
        let published = published(raw)
        let silence = locations(published, 62..<400)
        #expect(silence.count == 2)
        let (silent, stale) = (try #require(silence.first), try #require(silence.last))
        #expect((30...35).contains(silent.staleSeconds) && !silent.isStale)
        #expect((120...125).contains(stale.staleSeconds) && stale.isStale)
        #expect(silence.allSatisfy { abs($0.fixedAt.seconds(since: Self.time(61))) < 0.5 })

        let staleEta = try #require(etas(published, 180..<190).first)
        #expect(staleEta.isStale && staleEta.staleSeconds == stale.staleSeconds)
        let dropoff = try #require(staleEta.stops.last)
        #expect(dropoff.status == .valid)
        let seconds = try #require(dropoff.seconds)
        #expect(abs(staleEta.estimatedAt.seconds(since: Self.time(61))) <= 1)
        let arrivesAt = try #require(dropoff.arrivesAt)
        #expect(abs(arrivesAt.seconds(since: staleEta.estimatedAt) - Double(seconds)) <= 1)
        #expect(etas(published, 190..<400).isEmpty)
        let unavailable = etas(published, 640..<680)
        #expect(unavailable.map { $0.stops.last?.status } == [.unavailable])
        #expect(unavailable.allSatisfy { (600...605).contains($0.staleSeconds ?? 0) })
        // Positions that are repeated after the trip's state has expired are stale and keep their age.
        let repeated = locations(published, 400..<800)
        #expect(repeated.allSatisfy { $0.isStale && $0.staleSeconds > 330 })
    }

    @Test("a restart during a batch or a silence changes no arrival record and no rider update")
    func restart() {
        var raw = offline(until: 93, lastAccuracy: 500)
        addOtherDriver(from: 3, to: 260, in: &raw)
        let partition = partition(raw)
        let undisturbed = partition.run()
        for stop in stride(from: 1, to: undisturbed.order.count, by: 3) {
            let disturbed = partition.resume(from: undisturbed.prefix(stop))
            #expect(disturbed.changelog.texts == undisturbed.changelog.texts, "stopped after \(stop)")
        }
        let riders = BroadcastPartition(etas: undisturbed.changelog)
        let published = riders.resume(from: RecordedTopic())
        for restart in 1..<riders.etas.records.count {
            let disturbed = riders.resume(from: riders.resume(from: RecordedTopic(), until: restart))
            #expect(disturbed.texts == published.texts, "restart at \(restart)")
        }
    }
}
