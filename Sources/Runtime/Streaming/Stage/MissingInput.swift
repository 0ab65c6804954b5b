import Kafka

/// An input of a stage that lacks offsets which the stage has answered, as after an unclean leader election, or after the
/// topic was created anew.
///
/// The stage cannot go on. Events are named by the offsets of their source: a record that is written now at an offset
/// that was answered before would make events that all readers have seen, and would drop.
struct MissingInput {
    var partition: TopicPartition
    /// Where the changelog continues.
    var position: Int64
    /// What the partition has.
    var marks: KafkaOffsetRange
    /// The stage's first output.
    var changelog: String
    /// Whether programs outside of the pipeline write the input.
    var isWrittenByOthers: Bool

    /// What happened, and what to do about it.
    var advice: String { "\(finding) \(isWrittenByOthers ? ofInput : ofDerived)" }

    private var finding: String {
        let has = "\(partition) begins at offset \(marks.low) and ends before offset \(marks.high)"
        let answered = "the changelog \(changelog) says that its records before offset \(position) are answered"
        // A topic that retention has deleted from is not a new one.
        let cause =
            marks.low > 0
            ? "it has lost its end (an unclean leader election)"
            : "it has lost its end (an unclean leader election) or was created anew"
        let missing = position > marks.high ? "; offsets \(marks.high) to \(position - 1) are missing" : ""
        return "\(has), and \(answered): \(cause)\(missing)."
    }

    private var ofInput: String {
        "New records at these offsets would make events that readers have seen already and would drop, so this worker "
            + "stops. Stop the producers and all workers, then run `sightline topics recreate`, which creates the topics "
            + "anew together with all that names their offsets; docs/operations.md describes it."
    }

    private var ofDerived: String {
        "If it has lost its end, the worker that writes it makes the lost records again: run that worker, and start this "
            + "one again when the partition has come to offset \(position). If it was created anew, stop all workers and "
            + "run `sightline topics recreate`; docs/operations.md describes both."
    }
}
