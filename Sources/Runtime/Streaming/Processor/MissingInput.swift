import Kafka

/// Error text for an input that lacks offsets which the processor has already processed.
///
/// Causes are an unclean leader election or a recreated topic. The worker must stop: events are identified by source
/// offsets, so a new record at a processed offset would produce events that readers drop as duplicates.
struct MissingInput {
    var partition: TopicPartition
    /// The offset of the first unprocessed record.
    var position: Int64
    /// The offsets that the broker has.
    var range: KafkaOffsetRange
    /// Topic of the changelog, the processor's first output.
    var changelog: String
    /// Whether programs outside the pipeline write the input.
    var isExternal: Bool

    /// The problem and its fix.
    var advice: String { "\(finding) \(isExternal ? externalFix : derivedFix)" }

    private var finding: String {
        // A recreated topic begins at offset 0.
        let cause =
            range.low > 0
            ? "the partition was truncated (unclean leader election)"
            : "the partition was truncated (unclean leader election) or the topic was recreated"
        let missing = position > range.high ? "; offsets \(range.high) to \(position - 1) are missing" : ""
        return "\(partition) begins at offset \(range.low) and ends before offset \(range.high), but according to the "
            + "changelog \(changelog) its records before offset \(position) were processed: \(cause)\(missing)."
    }

    private var externalFix: String {
        "New records at these offsets would produce events that readers drop as duplicates, so this worker stops. Stop "
            + "the producers and all workers, then run `sightline topics recreate`, which recreates the topics and "
            + "everything that refers to their offsets; see docs/operations.md."
    }

    private var derivedFix: String {
        "If the partition was truncated, run its writer, which produces the lost records again, and start this "
            + "worker when the partition has reached offset \(position). If the topic was recreated, stop all workers and "
            + "run `sightline topics recreate`; see docs/operations.md."
    }
}
