import Model
import Support

/// Something that a simulated fleet sends.
package enum SimulatedEvent: Sendable {
    /// A record for the raw locations topic.
    case rawRecord(RawRecord)
    /// A record for the trips topic.
    case tripMessage(TripRecord)

    package struct RawRecord: Sendable {
        /// The driver id.
        package var key: String
        package var value: [UInt8]
        package var sentAt: Timestamp
        /// What is true of the fixes in it, in their order.
        package var fixes: [FixTruth]
        /// Whether the same record was sent before.
        package var isRepeat: Bool
    }

    package struct TripRecord: Sendable {
        /// The driver id.
        package var key: String
        /// `nil` for a tombstone.
        package var value: [UInt8]?
        package var sentAt: Timestamp
        /// What `value` says; `nil` for a tombstone.
        package var message: TripMessage?
    }

    package var sentAt: Timestamp {
        switch self {
        case .rawRecord(let record): record.sentAt
        case .tripMessage(let record): record.sentAt
        }
    }
}
