import Domain
import Support

/// Writer of `trip.etas`, which omits unknown values.
package enum TripEtaWriter {
    private static let fixedByteCount = 2560

    /// Appends one record, whose first member is the event's id.
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

    static func maximumByteCount(_ stops: [TripEta.Stop]) -> Int {
        stops.withUnsafeBufferPointer { stops in
            var count = fixedByteCount * stops.count
            for index in stops.indices { count += JSONCursor.maximumTextCount(stops[index].id) }
            return count
        }
    }
}

/// Reader of `trip.etas`; use one per thread.
package final class TripEtaReader {
    private let reader = RecordDecoder()
    /// Value of ``RecordDecoder/isCanonical`` for the last record.
    var isCanonical: Bool { reader.isCanonical }

    package init() {}

    /// Returns whether a record may have a ``TripEta/change``, without parsing the record.
    ///
    /// The result is wrongly `true` if a text of the trip service contains the searched characters.
    package static func mayHaveChange(_ value: ByteSlice) -> Bool { value.contains("change\":{") }

    /// Reads one record into `eta`, reusing its storage, so that successive records of one trip allocate nothing.
    /// - Returns: the event's id; `nil` if the record is invalid, in which case `eta` may have been partly overwritten.
    package func read(_ value: ByteSlice, into eta: inout TripEta) -> EventID? {
        var event = EventID(partition: 0, offset: 0)
        return reader.read(value, event: &event, into: &eta) ? event : nil
    }
}
