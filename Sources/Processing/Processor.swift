import Support

/// A step from topics to topics: a deterministic state machine over one partition.
///
/// The same records in the same order give the same outputs, byte for byte, because a processor reads no wall clock,
/// environment, store or random source. One instance serves one partition while it is assigned to the process.
/// `StreamWorker` runs it against Kafka, ``InMemoryRunner`` over files and in tests.
package protocol Processor: AnyObject {
    /// Restores state from one of this processor's own output records; ``InputRecord/input`` is the output's index.
    ///
    /// Called first with the records that ``ProcessorLayout/Output/restored`` selects from the other outputs, then with
    /// the changelog's records of the last ``ProcessorLayout/memoryMilliseconds``; oldest first within each topic.
    /// Records may be repeated.
    func restore(_ record: InputRecord)

    /// Ends the restore; called once, after the last ``restore(_:)`` and before the first ``process(_:into:)``.
    func finishRestore(into outputs: inout OutputBatch)

    /// The states that ``restore(_:)`` could not read.
    var unreadable: UnreadableStates { get }

    /// Processes one input record, which has no ``InputRecord/event`` and no ``InputRecord/state``.
    ///
    /// Records may be repeated after a rewind or redelivery, so the processor must ignore records already processed.
    func process(_ record: InputRecord, into outputs: inout OutputBatch)

    /// One count per ``ProcessorLayout/counters``; the worker reads them and sets them to zero.
    var counts: [Int] { get set }

    /// Advances stream time to `now`, a multiple of ``ProcessorLayout/punctuationIntervalMilliseconds``.
    func punctuate(now: Timestamp, into outputs: inout OutputBatch)
}

extension Processor {
    package var unreadable: UnreadableStates { UnreadableStates() }
    package func finishRestore(into outputs: inout OutputBatch) {}
    package func punctuate(now: Timestamp, into outputs: inout OutputBatch) {}
}

/// Inputs and outputs of a processor, without topic prefix, and how a partition of it is restored.
package struct ProcessorLayout: Sendable {
    package struct Input: Sendable {
        package enum Resume: Sendable, Equatable {
            /// Resumes at the position in the last changelog record.
            case afterChangelog
            /// As ``afterChangelog``, moved back by this stream time, for state that is not in the changelog.
            case rewound(milliseconds: Int64)
            /// As ``afterChangelog``, but all records of a compacted topic before this position are replayed first, to
            /// rebuild state; the other inputs start after the replay.
            case replayed
        }

        package var topic: String
        package var resume: Resume

        package init(topic: String, resume: Resume) {
            self.topic = topic
            self.resume = resume
        }
    }

    package struct Output: Sendable {
        /// Order of a topic's outputs relative to the changelog.
        ///
        /// A changelog record marks its input as processed, so outputs that must not be lost precede it.
        package enum Delivery: Sendable {
            /// Sent and acknowledged before the changelog records of the same batch are sent.
            case beforeChangelog
            /// Sent together with the changelog records, which do not wait for the output's acknowledgement.
            case withChangelog
            /// Sent in order with the partition's changelog records: earlier records are acknowledged before the
            /// checkpoint is sent, and the checkpoint is acknowledged before later records are sent.
            ///
            /// For a compacted topic that summarises the changelog. Several such outputs may have the same event; none
            /// is dropped as a duplicate.
            case checkpoint
        }

        /// The records of a topic that a restore passes to ``Processor/restore(_:)`` before the changelog's records.
        package enum Restored: Sendable, Equatable {
            case nothing
            case last(Int)
            case all
        }

        package var topic: String
        package var delivery: Delivery
        package var restored: Restored

        package init(topic: String, delivery: Delivery = .beforeChangelog, restored: Restored = .nothing) {
            (self.topic, self.delivery, self.restored) = (topic, delivery, restored)
        }
    }

    /// A metric and its labels for one of ``Processor/counts``.
    package struct Counter: Sendable {
        package var metric: MetricDefinition
        package var labels: [(MetricLabel, String)]

        package init(_ metric: MetricDefinition, _ labels: [(MetricLabel, String)] = []) {
            self.metric = metric
            self.labels = labels
        }
    }

    /// `location`, `eta` or `broadcast`; part of the consumer group, metrics and logs.
    package var name: String
    package var inputs: [Input]
    /// The first is the changelog: the output whose records carry the processor's state.
    package var outputs: [Output]
    /// Length, in stream time, of the end of the changelog that a restore reads; the processor evicts older state.
    package var memoryMilliseconds: Int64
    /// Stream time between punctuations; `nil` disables them.
    package var punctuationIntervalMilliseconds: Int64?
    package var counters: [Counter]

    package init(
        name: String, inputs: [Input], outputs: [Output], memoryMilliseconds: Int64 = 300_000,
        punctuationIntervalMilliseconds: Int64? = nil, counters: [Counter] = []
    ) {
        (self.name, self.inputs, self.outputs, self.memoryMilliseconds) = (name, inputs, outputs, memoryMilliseconds)
        (self.punctuationIntervalMilliseconds, self.counters) = (punctuationIntervalMilliseconds, counters)
    }
}
