import Domain

/// Records that cannot be read, in every partition.
extension FaultInjector {
    private static let poisons = [
        "", "{", "not json", "null", "[]", #"{"type":"weather","driver_id":"drv_1"}"#,
        #"{"type":"location","driver_id":"drv_1","payload":{"latitude":"48.1","longitude":11.5,"timestamp":1770000000000}}"#,
        #"{"type":"location","driver_id":"drv_1","payload":{"latitude":91,"longitude":11.5,"timestamp":1770000000000}}"#,
        #"{"type":"location","driver_id":"other","payload":{"latitude":48.1,"longitude":11.5,"timestamp":1}}"#,
        "{\"note\":\"" + String(repeating: "x", count: 20_000) + "\"}", "\u{0}\u{1}\u{2}",
    ]

    /// Writes some of each kind into every partition of the pipeline's inputs.
    /// - Returns: how many.
    func sendPoison() throws -> Int {
        let sender = try RecordSender(environment)
        for topic in [PipelineTopic.rawLocations, .trips] {
            for partition in 0..<Int32(partitions) {
                for poison in Self.poisons.shuffled(using: &generator) {
                    try sender.send(poison, key: "drv_1", to: topic, partition: partition)
                }
            }
        }
        return try sender.finish().sent
    }
}
