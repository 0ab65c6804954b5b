import Codec
import Foundation
import Processing
import Support

@testable import Domain

/// Records of one partition as input for the history sink.
final class HistoryRecords: SinkRecords {
    /// Receipt time of the first record in ms, a full minute ten to eleven minutes ago; records follow every second.
    let start = Int64(Date().timeIntervalSince1970) / 60 * 60_000 - 600_000

    /// Adds a verdict.
    ///
    /// `event` is the offset in its event id, by default the record's offset. `report` contains additional JSON members
    /// of `raw` and of the record, each with a leading comma.
    func addVerdict(
        of driver: String, verdict: String = "accepted", reasons: [String] = [], latitude: Double = 37.775,
        longitude: Double = -122.418, trip: String? = nil, event: Int64? = nil, receivedAt: Int64? = nil,
        hasEstimate: Bool? = nil, report: (raw: String, own: String) = ("", ""), hasEventHeader: Bool = true,
        signals: [String] = []
    ) {
        let received = receivedAt ?? start + next * 1000
        let id = EventID(partition: partition.partition, offset: event ?? next)
        let estimate =
            !(hasEstimate ?? (verdict == "accepted"))
            ? ""
            : "\"latitude\":\(latitude),\"longitude\":\(longitude),\"heading\":44.5,\"speed_mps\":12.25,"
                + "\"accuracy_meters\":3.5,\"confidence\":\"HIGH\",\"is_halted\":false,"
        let tripField = trip.map { "\"trip_id\":\"\($0)\"," } ?? ""
        add(
            key: driver, event: hasEventHeader ? id : nil, timestamp: received,
            value: """
                {"event_id":"\(id)","driver_id":"\(driver)","session_id":"s1","sequence":\(1000 + next),\(tripField)\
                "verdict":"\(verdict)","reasons":[\(Self.list(reasons))],"risk":0.25,\(Self.signalMember(signals))\(estimate)\
                "raw":{"latitude":\(latitude),"longitude":\(longitude),"accuracy_meters":5.5,"heading":45,"speed_mps":12.5\(report.raw)},\
                "device_at":\(received - 300),"fixed_at":\(received - 200),"received_at":\(received)\(report.own)}
                """)
    }

    /// Adds a warning about a driver; `message` numbers the warnings of one event.
    func addWarning(of driver: String, _ warning: LocationWarning, event: Int64? = nil, message: Int = 0) {
        let id = EventID(partition: partition.partition, offset: event ?? next).withMessage(message)
        let at = Timestamp(milliseconds: start + next * 1000)
        var writer = ByteWriter()
        ByteSlice.withBytes(of: driver) {
            WarningWriter.write(event: id, driverID: $0, warning: warning, risk: 0.75, at: at, into: &writer)
        }
        add(key: driver, event: id, timestamp: at.milliseconds, value: writer.bytes.string)
    }

    /// Adds a trip record; `event` is the offset in its event id, by default the record's offset.
    func addEta(_ eta: TripEta, origin: EventID.Origin = .raw, event: Int64? = nil) {
        let id = EventID(origin: origin, partition: partition.partition, offset: event ?? next)
        var writer = ByteWriter()
        TripEtaWriter.write(event: id, eta: eta, into: &writer)
        add(key: eta.tripID, event: id, timestamp: eta.computedAt.milliseconds, value: writer.bytes.string)
    }

    func addTripWarning(_ warning: TripWarning, of trip: String = "tr_1", by driver: String = "drv_1") {
        let id = EventID(partition: partition.partition, offset: next)
        let at = Timestamp(milliseconds: start + next * 1000)
        var writer = ByteWriter()
        ByteSlice.withBytes(of: trip) { trip in
            ByteSlice.withBytes(of: driver) {
                TripWarningWriter.write(
                    event: id, tripID: trip, driverID: $0, warning: warning, at: at, into: &writer)
            }
        }
        add(key: trip, event: id, timestamp: at.milliseconds, value: writer.bytes.string)
    }
}
