import Tracking

/// What vehicles reported of their positions, and of the trips they were on where they said so.
package struct VehicleLog: Sendable {
    /// Which trip a row belongs to; `nil` where the log does not say.
    package struct Label: Sendable, Equatable {
        package var tripID: String?
        package var routeID: String?
        /// The day of service, `YYYYMMDD`.
        package var startDate: String?
    }

    /// The rows of one vehicle, in the order of the file.
    package struct Vehicle: Sendable {
        package var trace: RecordedTrace
        /// One for each of the trace's fixes.
        package var labels: [Label]
    }

    package var vehicles: [Vehicle] = []
    /// Rows that could not be read, or whose position is on no globe.
    package var unreadable = 0

    package init() {}

    /// Reads a log whole: a file of traces or of vehicle positions, told apart by their columns; plain or gzip.
    ///
    /// Vehicles come in the order of their first rows.
    /// - Throws: ``InputError``.
    package static func read(path: String) throws -> VehicleLog {
        let lines = try LineReader(path: path)
        guard let header = try lines.next() else { throw InputError("\(path) is empty.") }
        let columns = try TraceColumns(header: header.string, of: path)
        var log = VehicleLog()
        var slots: [String: Int] = [:]
        while let line = try lines.next() {
            guard !line.isEmpty else { continue }
            guard let row = columns.row(line.string), row.coordinate.isOnGlobe else {
                log.unreadable += 1
                continue
            }
            let slot = slots[row.traceID] ?? log.vehicles.count
            if slot == log.vehicles.count {
                slots[row.traceID] = slot
                log.vehicles.append(
                    Vehicle(trace: RecordedTrace(id: row.traceID, driverID: row.driverID), labels: []))
            }
            log.vehicles[slot].trace.append(row)
            log.vehicles[slot].labels.append(row.run)
        }
        return log
    }

    /// The trips that rows name.
    package var tripIDs: Set<String> {
        vehicles.reduce(into: []) { found, vehicle in
            for label in vehicle.labels { if let trip = label.tripID { found.insert(trip) } }
        }
    }
}
