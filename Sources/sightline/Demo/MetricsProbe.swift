import Foundation
import Synchronization

/// Asks the workers' metrics endpoints what they hold and how far behind they are, every few seconds on a thread of its
/// own.
final class MetricsProbe: Sendable {
    private let found = Mutex<[WorkerRow]>([])
    private let mayStop = Atomic<Bool>(false)
    private let endpoints: [HTTPEndpoint]

    /// - Throws: ``InputError`` for what is no `http://host:port`.
    init(urls: [String]) throws {
        endpoints = try urls.map { try HTTPEndpoint($0) }
    }

    func start() {
        guard !endpoints.isEmpty else { return }
        let thread = Thread { [self] in
            let clock = ContinuousClock()
            var askedAt = clock.now
            while !mayStop.load(ordering: .relaxed) {
                let pages = endpoints.compactMap { $0.get("/metrics") }
                let seconds = askedAt.duration(to: clock.now) / .seconds(1)
                askedAt = clock.now
                let rows = WorkerRow.rows(of: pages)
                found.withLock { [rows] in $0 = WorkerRow.following($0, rows, seconds: seconds) }
                Thread.sleep(forTimeInterval: 2)
            }
        }
        thread.name = "metrics"
        thread.start()
    }

    func stop() { mayStop.store(true, ordering: .relaxed) }

    /// The workers that have answered at least once, in the order of the pipeline.
    var workers: [WorkerRow] { found.withLock { $0 } }
}
