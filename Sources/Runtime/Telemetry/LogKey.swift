import Logging

/// Keys of log metadata, such as the partition that a message is about.
package enum LogKey: String, CaseIterable, Sendable {
    case address
    case allocator
    case code
    case count
    case error
    case host
    case keyPartition = "key_partition"
    case metric
    case outputsDropped = "outputs_dropped"
    case partition
    case partitions
    case port
    case reason
    case seconds
    case settings
    case stage
    case topic
    case total
    case version
}

extension Dictionary where Key == String, Value == Logger.MetadataValue {
    /// Creates log metadata with these keys.
    ///
    /// ```swift
    /// logger.info("Partition restored.", metadata: .of([.partition: "\(partition)"]))
    /// ```
    package static func of(_ values: [LogKey: Logger.MetadataValue]) -> Logger.Metadata {
        var metadata = Logger.Metadata(minimumCapacity: values.count)
        for (key, value) in values { metadata[key.rawValue] = value }
        return metadata
    }
}
