import Processors
import Codec
import Domain
import Support
import Testing

@Suite("Published delays of simulated trips")
struct PublishedDelayTests {
    private struct Tally {
        var checked = 0
        var wrong: [String] = []

        mutating func check(_ stops: [TripEta.Stop], _ context: @autoclosure () -> String) {
            for stop in stops {
                guard let scheduled = stop.scheduledAt, let arrives = stop.arrivesAt else { continue }
                let seconds = Int((Double(arrives.milliseconds - scheduled.milliseconds) / 1000).rounded())
                checked += 1
                let isClassified =
                    seconds > 120
                    ? stop.delay == .delayed
                    : seconds < -60
                        ? stop.delay == .early
                        : stop.delay == .onTime || (stop.delay == .early && seconds < 0)
                            || (stop.delay == .delayed && seconds > 0)
                if stop.delaySeconds != seconds || !isClassified {
                    wrong.append(
                        "\(context()), \(stop.id): \(seconds) s, published \(stop.delaySeconds ?? .min) \(stop.delay)")
                }
            }
        }
    }

    @Test(
        "every delay is arrival minus scheduled time and agrees with its class, also in rider updates",
        arguments: [UInt64(61)])
    func everyRecord(seed: UInt64) {
        let traffic = SimulatedTraffic(drivers: 24, seconds: 900, seed: seed)
        let written = EtaPartition(raw: traffic.raw, trips: traffic.trips).run()
        let reader = TripEtaReader()
        var etas = Tally()
        var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
        for offset in written.changelog.records.indices {
            written.changelog.with(offset, input: 0) { record, _ in
                guard let value = record.value, let event = reader.read(value, into: &eta) else { return }
                etas.check(eta.stops, "\(event) of \(eta.tripID)")
            }
        }
        #expect(etas.wrong.isEmpty, "seed \(seed): \(etas.wrong.count) of \(etas.checked), \(etas.wrong.prefix(3))")
        let published = BroadcastPartition(etas: written.changelog).resume(from: RecordedTopic())
        let updates = RiderUpdateReader()
        var riders = Tally()
        for offset in published.records.indices {
            published.with(offset, input: 0) { record, _ in
                guard let envelope = record.value.flatMap({ updates.read($0) }), case .eta(let update) = envelope.update
                else { return }
                riders.check(update.stops, "\(envelope.eventID)")
            }
        }
        #expect(
            riders.wrong.isEmpty, "seed \(seed): \(riders.wrong.count) of \(riders.checked), \(riders.wrong.prefix(3))")
        print("seed \(seed): \(etas.checked) delays of stops, \(riders.checked) in rider updates")
        #expect(etas.checked > 1000 && riders.checked > 100)
    }
}
