import Foundation
import Recordings
import SightlineCLI

/// Other stream processors (peers) with a simplified version of the location worker's core, on the same backlog.
extension BenchSession {
    private static let ownName = "peers_location"

    /// Rates of a peer over the repetitions.
    private struct PeerRuns {
        var runs = BenchRuns()
        /// The location worker's rate divided by the peer's, per repetition.
        var timesAsFast: [Double] = []
    }

    func peers(_ access: PipelineAccess) throws -> [BenchResult] {
        guard FileManager.default.fileExists(atPath: PeerProgram.sources) else {
            throw InputError("\(PeerProgram.sources) does not exist here. Run: deploy/bench peers")
        }
        let failures = makeFailures()
        let programs = PeerProgram.python + kafkaStreams(failures)
        var own = BenchRuns()
        var others = programs.map { _ in PeerRuns() }
        for repetition in 1...plan.repetitions {
            let detail = "repetition \(repetition)"
            progress("peers, \(repetition) of \(plan.repetitions)")
            let isFilled = failures.measure("backlog_of_peers", at: detail) {
                try Testbed.with(access, plan: plan, name: "peers", folder: folder) { testbed in
                    try testbed.fill(records: plan.records, drivers: plan.drivers, withTrips: false)
                    var ownRate: Double?
                    failures.measure(Self.ownName, at: detail) {
                        let throughput = try testbed.throughput(of: "location-worker", topic: .rawLocations)
                        own.add(throughput)
                        ownRate = throughput.ratePerSecond
                    }
                    for (index, program) in programs.enumerated() {
                        progress(program.name)
                        failures.measure(program.resultName, at: detail) {
                            let report = try program.run(on: testbed)
                            others[index].runs.add(
                                report.ratePerSecond, cpuMicroseconds: report.cpuMicrosecondsPerRecord)
                            if let ownRate { others[index].timesAsFast.append(ownRate / report.ratePerSecond) }
                        }
                    }
                }
            }
            guard !isFilled else { continue }
            failures.skip([Self.ownName] + programs.map(\.resultName), because: "backlog_of_peers")
        }
        let measured = own.isEmpty ? [] : [own.result(Self.ownName)]
        return failures.applied(to: measured + zip(programs, others).compactMap(result))
    }

    /// Returns the Kafka Streams application's variants, or reports why it is left out.
    private func kafkaStreams(_ failures: PartFailures) -> [PeerProgram] {
        var programs: [PeerProgram] = []
        do {
            let peer = try KafkaStreamsPeer(environment: ProcessInfo.processInfo.environment)
            failures.measure("peers_kafka_streams") { programs = try peer.compile(into: folder) }
        } catch {
            progress("Kafka Streams is left out: \(error)")
        }
        return programs
    }

    /// Returns the result of a peer; `nil` if no repetition measured it.
    private func result(of program: PeerProgram, _ measured: PeerRuns) -> BenchResult? {
        guard !measured.runs.isEmpty else { return nil }
        var result = measured.runs.result(program.resultName)
        if let times = measured.timesAsFast.median {
            result.values["location_worker_times_as_fast"] = times
            result.target = "location-worker at least 10 times as fast"
            result.isReached = times >= 10
        }
        return result
    }
}
