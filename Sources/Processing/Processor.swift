import Support

/// A step of the pipeline from topics to topics, as a deterministic state machine over one partition.
///
/// The same records in the same order give the same outputs, byte for byte: a stage reads no clock, environment,
/// store or random source. One instance serves one partition and lives as long as the process holds that partition.
/// It is driven by `StreamWorker` against Kafka, and by ``InMemoryRunner`` over files and in tests.
package protocol Processor: AnyObject {
    /// Takes back what one of this stage's own output records carries; ``InputRecord/input`` is the output's index.
    ///
    /// Called, oldest first per topic, with the ``ProcessorLayout/Output/restored`` records of side outputs and then with
    /// the changelog's last ``ProcessorLayout/memoryMilliseconds``. Records may come twice.
    func restore(_ record: InputRecord)

    /// Called once after the last ``restore(_:)`` and before the first ``process(_:into:)``.
    func finishRestore(into outputs: inout OutputBatch)

    /// What ``restore(_:)`` has met that cannot be read.
    var unreadable: UnreadableStates { get }

    /// Answers one input record, which comes without ``InputRecord/clock`` and ``InputRecord/state``.
    ///
    /// Records already answered may come again (a rewind, a redelivery): whatever does not advance the clock of its key
    /// changes nothing.
    func process(_ record: InputRecord, into outputs: inout OutputBatch)

    /// How often each of ``ProcessorLayout/counters`` happened since the stage's task last set them to zero.
    var counts: [Int] { get set }

    /// Lets time pass: `now` is stream time, on a multiple of ``ProcessorLayout/punctuationInterval``.
    func punctuate(now: Timestamp, into outputs: inout OutputBatch)
}

extension Processor {
    package var unreadable: UnreadableStates { UnreadableStates() }
    package func finishRestore(into outputs: inout OutputBatch) {}
    package func punctuate(now: Timestamp, into outputs: inout OutputBatch) {}
}

/// What a stage reads and writes, and how a partition of it is restored.
///
/// Topic names are without the prefix.
package struct ProcessorLayout: Sendable {
    package struct Input: Sendable {
        package enum Resume: Sendable {
            /// At the position that the changelog's last record carries.
            case afterChangelog
            /// As ``afterChangelog``, then back by this much stream time, for state that leaves no trace in the
            /// changelog.
            case rewound(milliseconds: Int64)
            /// As ``afterChangelog``, but everything before that position is processed first, before any other input
            /// goes on: a topic that is the memory of its keys.
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
        /// When outputs to a topic are sent, as seen from the changelog: the changelog says how far the stage has come,
        /// so what it implies has to be safe before it.
        package enum Delivery: Sendable {
            /// Acknowledged before the changelog records of the same batch are sent.
            case beforeChangelog
            /// Along with the changelog, and not waited for.
            case withChangelog
            /// In its place among the partition's changelog records: what comes before is acknowledged before it is
            /// sent, and it is acknowledged before what comes after is sent.
            ///
            /// For a compacted topic that sums up what the changelog has said so far. Many such outputs may carry the
            /// same clock, and none is taken for a repetition.
            case checkpoint
        }

        /// Which of a topic's records a restore hands to ``Processor/restore(_:)``, before those of the changelog.
        package enum Restored: Sendable {
            case nothing
            case last(Int)
            case all
        }

        package var topic: String
        package var delivery: Delivery
        package var restored: Restored

        package init(topic: String, delivery: Delivery = .beforeChangelog, restored: Restored = .nothing) {
            self.topic = topic
            self.delivery = delivery
            self.restored = restored
        }
    }

    /// Something the stage counts, as a declared metric and its labels; see ``Processor/counts``.
    package struct Counter: Sendable {
        package var metric: MetricDefinition
        package var labels: [(MetricLabel, String)]

        package init(_ metric: MetricDefinition, _ labels: [(MetricLabel, String)] = []) {
            self.metric = metric
            self.labels = labels
        }
    }

    /// `location`, `eta`, `broadcast`: consumer group, metrics and logs carry it.
    package var name: String
    package var inputs: [Input]
    /// The first is the changelog: the output whose records carry the stage's state and clock.
    package var outputs: [Output]
    /// How much of the changelog, in stream time, a restore reads; the stage forgets state older than this anyway.
    package var memoryMilliseconds: Int64
    /// Stream time between punctuations; `nil` for a stage that does not punctuate.
    package var punctuationIntervalMilliseconds: Int64?
    package var counters: [Counter]

    package init(
        name: String, inputs: [Input], outputs: [Output], memoryMilliseconds: Int64 = 300_000,
        punctuationIntervalMilliseconds: Int64? = nil, counters: [Counter] = []
    ) {
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.memoryMilliseconds = memoryMilliseconds
        self.punctuationIntervalMilliseconds = punctuationIntervalMilliseconds
        self.counters = counters
    }
}
