import HistoryWorker
import PositionWorker
import Processing
import Runtime

/// Asks the stores how far they have come with each partition.
///
/// Belongs to one thread.
final class SinkProgress {
    private let history: HistorySink?
    private let position: PositionSink?

    /// - Throws: what is wrong with the addresses; nothing is connected yet.
    init(_ settings: Settings, hasHistory: Bool = true, hasRedis: Bool = true) throws {
        history = hasHistory ? HistorySink(settings.historySink) : nil
        position = hasRedis ? try PositionSink(settings.positionSink()) : nil
    }

    /// The sinks asked, each with the topics that it reads.
    var topics: [(sink: String, topics: [String])] {
        (history == nil ? [] : [(HistorySink.name, HistorySink.topics)])
            + (position == nil ? [] : [(PositionSink.name, PositionSink.topics)])
    }

    /// The offset up to which a sink has stored each partition; partitions never written are absent.
    func positions(of partitions: [SinkPartition], in sink: String) throws -> [SinkPartition: Int64] {
        if sink == HistorySink.name, let history { return try history.clocks(of: partitions) }
        if sink == PositionSink.name, let position { return try position.clocks(of: partitions) }
        return [:]
    }

    func disconnect() {
        history?.disconnect()
        position?.disconnect()
    }
}
