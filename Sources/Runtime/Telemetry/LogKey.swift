import Logging

/// The names of what varies in log lines.
///
/// Messages are fixed sentences; everything else is metadata under one of these.
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
    /// Makes metadata of declared keys.
    ///
    /// ```swift
    /// logger.info("The partition is restored.", metadata: .of([.partition: "\(partition)"]))
    /// ```
    package static func of(_ values: [LogKey: Logger.MetadataValue]) -> Logger.Metadata {
        var metadata = Logger.Metadata(minimumCapacity: values.count)
        for (key, value) in values { metadata[key.rawValue] = value }
        return metadata
    }
}
