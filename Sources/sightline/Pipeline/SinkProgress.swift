import HistoryWorker
import PositionWorker
import Processing
import Runtime

/// Reads the progress of the sinks from their stores.
///
/// Use on one thread only.
final class SinkProgress {
    private let history: HistorySink?
    private let position: PositionSink?

    /// Does not connect yet.
    /// - Throws: for invalid addresses.
    init(_ settings: Settings, hasHistory: Bool = true, hasRedis: Bool = true) throws {
        history = hasHistory ? HistorySink(settings.historySink) : nil
        position = hasRedis ? try PositionSink(settings.positionSink()) : nil
    }

    /// The sinks with the topics that they read.
    var topics: [(sink: String, topics: [String])] {
        (history == nil ? [] : [(HistorySink.name, HistorySink.topics)])
            + (position == nil ? [] : [(PositionSink.name, PositionSink.topics)])
    }

    /// Returns the next offset of each partition; partitions never written are absent.
    func positions(of partitions: [SinkPartition], in sink: String) throws -> [SinkPartition: Int64] {
        if sink == HistorySink.name, let history { return try history.nextOffsets(of: partitions) }
        if sink == PositionSink.name, let position { return try position.nextOffsets(of: partitions) }
        return [:]
    }

    func disconnect() {
        history?.disconnect()
        position?.disconnect()
    }
}
