import Domain
import Support

/// One record of `rider.updates`; the channel's bytes are valid until the next call to the reader.
package struct RiderUpdateRecord {
    package var eventID: EventID
    /// Channel `trip:ID` or `route:ID`.
    package var channel: ByteSlice
    package var update: RiderUpdate
}

/// Reader of `rider.updates`; use one per thread.
package final class RiderUpdateReader {
    private let reader = RecordDecoder()

    package init() {}

    package func read(_ value: ByteSlice) -> RiderUpdateRecord? {
        var event = EventID(partition: 0, offset: 0)
        var record = RiderUpdateRecord(eventID: event, channel: .empty, update: .notification(.blank))
        guard reader.read(value, event: &event, into: &record), !record.channel.isEmpty else { return nil }
        record.eventID = event
        return record
    }
}

package enum RiderUpdateWriter {
    private static let fixedByteCount = 2048

    /// Appends one message for the subscribers of `channel` (`trip:ID` or `route:ID`).
    package static func write(event: EventID, channel: ByteSlice, update: RiderUpdate, into writer: inout ByteWriter) {
        let maximum = fixedByteCount + 2 * JSONCursor.maximumTextCount(channel) + maximumByteCount(update)
        var record = RiderUpdateRecord(eventID: event, channel: channel, update: update)
        RecordWriter.append(&record, event: event, atMost: maximum, to: &writer)
    }

    private static func maximumByteCount(_ update: RiderUpdate) -> Int {
        switch update {
        case .driverLocation: return 0
        case .notification(let notification):
            return JSONCursor.maximumTextCount(notification.triggeredBy) + (notification.factsJSON?.utf8.count ?? 0)
        case .eta(let eta):
            return JSONCursor.maximumTextCount(eta.routePolyline) + TripEta.Stop.maximumByteCount(eta.stops)
        case .stateChanged(let change):
            return JSONCursor.maximumTextCount(change.triggeredBy) + (change.contextJSON?.utf8.count ?? 0)
                + JSONCursor.maximumTextCount(change.detectedArrivalStopID) + (change.factsJSON?.utf8.count ?? 0)
        case .vehicleLeft(let vehicle):
            return JSONCursor.maximumTextCount(vehicle.streamID) + JSONCursor.maximumTextCount(vehicle.vehicleNumber)
        case .vehiclePosition(let position):
            return 2 * JSONCursor.maximumTextCount(position.streamID)
                + JSONCursor.maximumTextCount(position.vehicleNumber)
                + 2 * JSONCursor.maximumTextCount(position.nextStopID)
                + JSONCursor.maximumTextCount(position.lastStopID)
                + JSONCursor.maximumTextCount(position.passedStopID)
        }
    }
}
