import Codec
import Model
import Support
import Testing
import BroadcastWorker

/// What riders are told, through all three stages, of a driver who was offline and of one who falls silent.
@Suite("A driver's offline stretch, as riders are told")
struct OfflineBatchTests {
    private static let start = SimulatedTraffic.start

    private struct Told {
        var at: Double
        var update: RiderUpdate
    }

    private static func time(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    /// A fix of the driver, who drives east at 10 m/s, taken at `seconds`.
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

    /// Records of other drivers, which let time pass.
    private func letTimePass(from: Double, to: Double, in raw: inout RecordedTopic) {
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

    private func updates(in topic: RecordedTopic) -> [Told] {
        let reader = RiderUpdateReader()
        var told: [Told] = []
        for offset in topic.records.indices {
            topic.with(offset, input: 0) { record, _ in
                guard let found = record.value.flatMap({ reader.read($0) }) else { return }
                told.append(Told(at: record.timestamp.seconds(since: Self.start), update: found.update))
            }
        }
        return told
    }

    private func told(_ raw: RecordedTopic) -> [Told] {
        updates(in: BroadcastPartition(etas: partition(raw).run().changelog).goOn(from: RecordedTopic()))
    }

    private func locations(_ told: [Told], _ range: Range<Double>) -> [RiderUpdate.DriverLocation] {
        told.filter { range.contains($0.at) }
            .compactMap { if case .driverLocation(let location) = $0.update { location } else { nil } }
    }

    private func etas(_ told: [Told], _ range: Range<Double>) -> [RiderUpdate.EtaUpdate] {
        told.filter { range.contains($0.at) }
            .compactMap { if case .eta(let eta) = $0.update { eta } else { nil } }
    }

    /// A minute live, an offline stretch up to `end` in one batch, and 20 s live after it.
    private func offline(until end: Double, lastAccuracy: Double = 5) -> RecordedTopic {
        var raw = RecordedTopic()
        for seconds in stride(from: 1.0, through: 61, by: 4) { append(fix(seconds), at: seconds + 0.2, to: &raw) }
        var fixes = stride(from: 65.0, to: end, by: 4).map { fix($0) }
        fixes.append(fix(end, accuracy: lastAccuracy))
        append(batch(fixes), at: end + 0.3, to: &raw)
        return raw
    }

    @Test("of a batch of minutes riders are told the newest position, at once and as live", arguments: [93.0, 241])
    func newest(end: Double) throws {
        var raw = offline(until: end)
        letTimePass(from: 3, to: end + 20, in: &raw)
        let told = told(raw)
        let atReceipt = locations(told, end + 0.1..<end + 0.4)
        #expect(atReceipt.count == 1)
        let location = try #require(atReceipt.first)
        #expect(abs(location.fixedAt.seconds(since: Self.time(end))) < 0.5)
        #expect(location.staleSeconds == 0)
        #expect(!location.isStale)
        #expect(abs(location.coordinate.longitude - (11 + end * 10 / 74_488)) < 0.0005)
        #expect(etas(told, end + 0.1..<end + 0.4).count <= 1)
        // And nothing of the batch after it.
        #expect(locations(told, end + 0.4..<end + 20).isEmpty)
    }

    @Test("where the last fix of a batch is refused, the newest that is not is told within 5 s, with its age")
    func refusedLast() {
        var raw = offline(until: 93, lastAccuracy: 500)
        letTimePass(from: 3, to: 113, in: &raw)
        let told = told(raw)
        #expect(locations(told, 93.1..<93.4).isEmpty)
        let repeated = locations(told, 93.4..<99)
        #expect(repeated.count == 1)
        #expect(repeated.allSatisfy { abs($0.fixedAt.seconds(since: Self.time(89))) < 0.5 })
        #expect(repeated.allSatisfy { (4...9).contains($0.staleSeconds) })
    }

    @Test("of a queue that is emptied record by record nothing older than 10 s is told, and the newest is")
    func queue() {
        var raw = RecordedTopic()
        for seconds in stride(from: 1.0, through: 61, by: 4) { append(fix(seconds), at: seconds + 0.2, to: &raw) }
        for (index, seconds) in stride(from: 65.0, through: 121, by: 4).enumerated() {
            append(fix(seconds), at: 121 + Double(index) * 0.03, to: &raw)
        }
        letTimePass(from: 3, to: 141, in: &raw)
        let burst = locations(told(raw), 121..<121.9)
        #expect(burst.map(\.staleSeconds).allSatisfy { $0 <= 10 })
        #expect(burst.count <= 3)
        #expect(burst.last.map { abs($0.fixedAt.seconds(since: Self.time(121))) < 0.5 } == true)
    }

    @Test("a silence is told at 30 s, staleness after 120 s with the ETA counting down, and its end after 10 minutes")
    func silence() throws {
        var raw = RecordedTopic()
        for seconds in stride(from: 1.0, through: 61, by: 4) { append(fix(seconds), at: seconds + 0.2, to: &raw) }
        letTimePass(from: 3, to: 800, in: &raw)
        let told = told(raw)
        let silence = locations(told, 62..<400)
        #expect(silence.count == 2)
        let (silent, stale) = (try #require(silence.first), try #require(silence.last))
        #expect((30...35).contains(silent.staleSeconds) && !silent.isStale)
        #expect((120...125).contains(stale.staleSeconds) && stale.isStale)
        #expect(silence.allSatisfy { abs($0.fixedAt.seconds(since: Self.time(61))) < 0.5 })

        let flagged = try #require(etas(told, 180..<190).first)
        #expect(flagged.isStale && flagged.staleSeconds == stale.staleSeconds)
        let dropoff = try #require(flagged.stops.last)
        #expect(dropoff.status == .valid)
        let seconds = try #require(dropoff.seconds)
        #expect(abs(flagged.estimatedAt.seconds(since: Self.time(61))) <= 1)
        let arrivesAt = try #require(dropoff.arrivesAt)
        #expect(abs(arrivesAt.seconds(since: flagged.estimatedAt) - Double(seconds)) <= 1)
        #expect(etas(told, 190..<400).isEmpty)
        let ends = etas(told, 640..<680)
        #expect(ends.map { $0.stops.last?.status } == [.unavailable])
        #expect(ends.allSatisfy { (600...605).contains($0.staleSeconds ?? 0) })
        // What is told anew, because nothing was for the stage's memory, is told as old as it is.
        let anew = locations(told, 400..<800)
        #expect(anew.allSatisfy { $0.isStale && $0.staleSeconds > 330 })
    }

    @Test("a restart at any record of a batch and a silence changes nothing that riders are told")
    func restart() {
        var raw = offline(until: 93, lastAccuracy: 500)
        letTimePass(from: 3, to: 260, in: &raw)
        let partition = partition(raw)
        let undisturbed = partition.run()
        for death in stride(from: 1, to: undisturbed.order.count, by: 3) {
            let disturbed = partition.goOn(from: undisturbed.prefix(death))
            #expect(disturbed.changelog.texts == undisturbed.changelog.texts, "died after \(death)")
        }
        let riders = BroadcastPartition(etas: undisturbed.changelog)
        let told = riders.goOn(from: RecordedTopic())
        for restart in 1..<riders.etas.records.count {
            let disturbed = riders.goOn(from: riders.goOn(from: RecordedTopic(), until: restart))
            #expect(disturbed.texts == told.texts, "restart at \(restart)")
        }
    }
}
