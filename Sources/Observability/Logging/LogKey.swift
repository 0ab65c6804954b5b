import Logging

/// The names of what varies in log lines.
///
/// Messages are fixed sentences; everything else is metadata under one of these.
package enum LogKey: String, CaseIterable, Sendable {
    case address
    case allocator
    case attempt
    case code
    case count
    case deadline
    case error
    case event
    case host
    case input
    case partition
    case partitions
    case level
    case metric
    case name
    case offset
    case port
    case program
    case reason
    case seconds
    case setting
    case signal
    case stage
    case store
    case topic
    case value
    case version
}

extension Dictionary where Key == String, Value == Logger.MetadataValue {
    /// Metadata under declared keys: `logger.info("The partition is restored.", metadata: .of([.partition:
    /// "\(partition)"]))`.
    package static func of(_ values: [LogKey: Logger.MetadataValue]) -> Logger.Metadata {
        var metadata = Logger.Metadata(minimumCapacity: values.count)
        for (key, value) in values { metadata[key.rawValue] = value }
        return metadata
    }
}
