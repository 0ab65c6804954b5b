import Codec
import Support

/// Locations that a device has sent and that can be read: one record of `driver.locations.raw`.
///
/// The record's key is the driver's id and its timestamp the receipt. Neither stands in the value, which is what the
/// device sent.
package struct DeviceLocations {
    /// The record's value; valid until the reader's next call.
    package var value: ByteSlice
    package var isBatch: Bool
    /// How many fixes there are, with those that cannot be read.
    package var fixCount: Int
    /// How many fixes of the batch cannot be read; one at least can.
    package var unreadableCount: Int
    /// Which they are, at most 64 runs.
    ///
    /// The device is told of them, since the worker makes a dead letter of the batch.
    package var unreadable: [UnreadableFixes]
    /// `nil` where a fix has no sequence, or fixes of several sessions come together.
    package var sequences: SequenceSpan?
    /// Of the last fix that can be read, in m/s.
    package var speedMetersPerSecond: Double?
    /// Of the last fix that can be read, 0 to 100.
    package var batteryPercent: Int?
    /// Of the last fix that can be read.
    package var isCharging: Bool?
    /// Of the last fix that can be read.
    package var network: NetworkType?
}
