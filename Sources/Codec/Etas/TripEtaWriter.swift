import Domain
import Support

/// Writes records of `trip.etas`.
///
/// Coordinates have 7 decimals, heading, speed and accuracy 2, distances 1. Unknown values are omitted.
package enum TripEtaWriter {
    private static let fixedByteCount = 2560

    /// Appends one record; the event's id is its first member.
    package static func write(event: EventID, eta: TripEta, into writer: inout ByteWriter) {
        var eta = eta
        write(event: event, eta: &eta, into: &writer)
    }

    /// Appends one record without copying or changing `eta`.
    package static func write(event: EventID, eta: inout TripEta, into writer: inout ByteWriter) {
        RecordWriter.append(&eta, event: event, atMost: maximumByteCount(eta), to: &writer)
    }

    private static func maximumByteCount(_ eta: TripEta) -> Int {
        var count = fixedByteCount + JSONCursor.maximumTextCount(eta.tripID)
        count += JSONCursor.maximumTextCount(eta.driverID) + JSONCursor.maximumTextCount(eta.riderID)
        count += JSONCursor.maximumTextCount(eta.routeID) + JSONCursor.maximumTextCount(eta.vehicleNumber)
        count += JSONCursor.maximumTextCount(eta.detectedArrivalStopID)
        count += JSONCursor.maximumTextCount(eta.nextStopID) + JSONCursor.maximumTextCount(eta.passedStopID)
        count += JSONCursor.maximumTextCount(eta.lastStopID)
        if let change = eta.change {
            count += JSONCursor.maximumTextCount(change.triggeredBy)
            count += JSONCursor.maximumTextCount(change.routePolyline) + (change.contextJSON?.utf8.count ?? 0)
            count += change.factsJSON?.utf8.count ?? 0
        }
        return count + TripEta.Stop.maximumByteCount(eta.stops)
    }
}

extension TripEta.Stop {
    private static let fixedByteCount = 512

    /// Upper bound of the written list, in bytes.
    static func maximumByteCount(_ stops: [TripEta.Stop]) -> Int {
        stops.withUnsafeBufferPointer { stops in
            var count = fixedByteCount * stops.count
            for index in stops.indices { count += JSONCursor.maximumTextCount(stops[index].id) }
            return count
        }
    }
}
