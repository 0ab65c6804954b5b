import ArgumentParser
import Foundation
import TestSupport

/// `chaos soak`: long load with a fault every minute; memory, descriptors and recovery are held to limits.
struct Soak: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run for long with random faults, and hold memory, descriptors and recovery to limits.")

    @Option(help: "How many minutes.")
    var minutes = 30.0

    @Option(help: "Locations per second, about.")
    var rate = 2000

    @Option(help: "The seed of faults and fleet.")
    var seed: UInt64 = 1

    @Option(help: "Bring about these faults alone, in turn at random.")
    var fault: [FaultKind] = []

    @Option(help: "Seconds between the recovery from a fault and the next one.")
    var interval = 35.0

    @Option(help: "Write the results here as well, as JSON.", completion: .file())
    var json: String?

    func validate() throws {
        if minutes <= 0 { throw ValidationError("--minutes is more than nothing.") }
        if interval < 10 { throw ValidationError("--interval is 10 at least: half of it shows what is normal.") }
        if !(20...20_000).contains(rate) { throw ValidationError("--rate lies between 20 and 20,000.") }
    }

    func run() throws {
        StopRequest.listen()
        // The local broker gives out partitions only half a session timeout after a worker has joined, which is to
        // leave room for the pipeline's own part within the limit of a recovery.
        let services = try Services(sessionTimeoutSeconds: 4)
        let run = SoakRun(
            minutes: minutes, rate: rate, seed: seed, kinds: fault.isEmpty ? SoakRun.kinds : fault, interval: interval,
            services: services)
        let result = try run.run()
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(result).write(to: URL(fileURLWithPath: json))
        }
        print(result.text)
        guard result.violations.isEmpty else { throw ExitCode(1) }
    }
}
