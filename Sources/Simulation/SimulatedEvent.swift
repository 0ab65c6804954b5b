import Domain
import Support

/// A record that a simulated fleet sends.
package enum SimulatedEvent: Sendable {
    /// A record of the raw locations topic.
    case rawRecord(RawRecord)
    /// A record of the trips topic.
    case tripMessage(TripRecord)

    package struct RawRecord: Sendable {
        /// The driver id.
        package var key: String
        package var value: [UInt8]
        package var sentAt: Timestamp
        /// Ground truth of its fixes, in order.
        package var fixes: [FixGroundTruth]
        /// Whether the record was sent before.
        package var isRepeat: Bool
    }

    package struct TripRecord: Sendable {
        /// The driver id.
        package var key: String
        /// `nil` for a tombstone.
        package var value: [UInt8]?
        package var sentAt: Timestamp
        /// The message in `value`; `nil` for a tombstone.
        package var message: TripMessage?
    }

    package var sentAt: Timestamp {
        switch self {
        case .rawRecord(let record): record.sentAt
        case .tripMessage(let record): record.sentAt
        }
    }
}
