import Recordings
import Foundation
import Observability
import Synchronization

/// Asks the workers' metrics endpoints how far behind they are, every few seconds on a thread of its own.
final class MetricsProbe: Sendable {
    /// Records not processed yet, by stage.
    private let lags = Mutex<[String: Int]>([:])
    private let mayStop = Atomic<Bool>(false)
    private let endpoints: [HTTPEndpoint]

    /// - Throws: ``InputError`` for what is no `http://host:port`.
    init(urls: [String]) throws {
        endpoints = try urls.map { try HTTPEndpoint($0) }
    }

    func start() {
        guard !endpoints.isEmpty else { return }
        let thread = Thread { [self] in
            while !mayStop.load(ordering: .relaxed) {
                var found: [String: Int] = [:]
                for endpoint in endpoints {
                    guard let body = endpoint.get("/metrics") else { continue }
                    for (stage, lag) in Self.lags(in: body) { found[stage, default: 0] += lag }
                }
                lags.withLock { [found] in $0 = found }
                Thread.sleep(forTimeInterval: 2)
            }
        }
        thread.name = "metrics"
        thread.start()
    }

    func stop() { mayStop.store(true, ordering: .relaxed) }

    /// `location 3, eta 0, …`; `nil` before any endpoint has answered.
    var summary: String? {
        let lags = lags.withLock { $0 }
        guard !lags.isEmpty else { return nil }
        let order = ["location", "eta", "broadcast", "position", "history"]
        return order.compactMap { stage in lags[stage].map { "\(stage) \($0)" } }.joined(separator: ", ")
    }

    /// The lag of each stage in a page of Prometheus text.
    static func lags(in page: String) -> [String: Int] {
        var lags: [String: Int] = [:]
        guard let metrics = try? MetricsSnapshot(parsing: page) else { return lags }
        for sample in metrics.samples where sample.name == "sightline_lag_records" {
            if let stage = sample.labels["stage"] { lags[stage, default: 0] += Int(sample.value) }
        }
        return lags
    }
}
