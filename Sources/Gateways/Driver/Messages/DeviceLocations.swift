import Codec
import Support

/// Readable locations of a device: one record of `driver.locations.raw`.
///
/// The record's key is the driver's id and its timestamp the time of receipt; neither is part of the value.
struct DeviceLocations {
    /// Value of the record; valid until the next call to the reader.
    var value: ByteSlice
    var isBatch: Bool
    /// Number of fixes, including unreadable ones.
    var fixCount: Int
    /// Number of unreadable fixes; at least one fix is readable.
    var unreadableCount: Int
    /// The unreadable fixes as up to 64 runs, reported to the device because the worker writes the batch to the dead
    /// letter topic.
    var unreadable: [UnreadableFixes]
    /// `nil` if a fix has no sequence or the fixes belong to several sessions.
    var sequences: SequenceSpan?
    /// Speed of the last readable fix, in m/s.
    var speedMetersPerSecond: Double?
    /// Battery level of the last readable fix, 0 to 100.
    var batteryPercent: Int?
    /// Charging state of the last readable fix.
    var isCharging: Bool?
    /// Network of the last readable fix.
    var network: NetworkType?
}

/// Sequence numbers of the fixes in a record.
struct SequenceSpan {
    /// Session of the numbers, empty if the device sends none; valid as long as the message.
    var session: ByteSlice
    var lowest: Int64
    var highest: Int64
}
