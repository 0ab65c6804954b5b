/// Primary key of `sink_progress`.
struct ProgressKey: Hashable, Comparable {
    let sink: String
    let topic: String
    let partition: Int32

    static func < (left: ProgressKey, right: ProgressKey) -> Bool {
        (left.sink, left.topic, left.partition) < (right.sink, right.topic, right.partition)
    }
}

/// Row of `sink_progress`, with the text of each value that is not null.
///
/// `updated_at` is not stored, because it depends on the time of writing.
struct ProgressRow: Equatable {
    let key: ProgressKey
    private var values: [String: String] = [:]

    init(_ key: ProgressKey) {
        self.key = key
        values = ["sink": key.sink, "topic": key.topic, "kafka_partition": "\(key.partition)", "next_offset": "0"]
    }

    subscript(column: String) -> String? {
        get { values[column] }
        set { values[column] = newValue }
    }

    var nextOffset: Int64 { values["next_offset"].flatMap { Int64($0) } ?? 0 }
}
