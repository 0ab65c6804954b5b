import Domain

/// Size of the pipeline's records on the broker, as a model of a larger fleet needs it.
extension BenchSession {
    /// Topics in the order of the pipeline, and their records' names in figures.
    private static let records: [(topic: PipelineTopic, name: String)] = [
        (.rawLocations, "raw_record"), (.locations, "verdict"), (.tripEtas, "eta"), (.riderUpdates, "rider_update"),
    ]

    /// Measures the compressed bytes per record of `topics`, and the records per record of the topic before.
    func brokerBytes(of topics: [PipelineTopic], on testbed: Testbed, name: String) throws -> BenchResult {
        var result = BenchResult(name)
        var before: (name: String, count: Int)?
        for (topic, record) in Self.records where topics.contains(topic) {
            let count = try testbed.recordCount(of: topic)
            result.values["bytes_per_\(record)"] = try testbed.brokerBytesPerRecord(of: topic)
            if let before, before.count > 0 {
                result.values["\(record)s_per_\(before.name)"] = Double(count) / Double(before.count)
            }
            before = (record, count)
        }
        return result
    }
}
