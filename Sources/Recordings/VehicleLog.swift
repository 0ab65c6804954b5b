/// Recorded positions of vehicles, with their trips if the log contains them.
package struct VehicleLog: Sendable {
    /// Scheduled run of a row; unknown fields are `nil`.
    package struct Label: Sendable, Equatable {
        package var tripID: String?
        package var routeID: String?
        /// Service day, `YYYYMMDD`.
        package var startDate: String?
    }

    /// The rows of a vehicle, in the order of the file.
    package struct Vehicle: Sendable {
        package var trace: RecordedTrace
        /// Labels of the trace's fixes, one per fix.
        package var labels: [Label]
    }

    package var vehicles: [Vehicle] = []
    /// Counts of rows read and left out.
    package var tally = ReadingTally()
    /// Number of unreadable rows.
    package var unreadable: Int { tally.leftOut }

    package init() {}

    /// Reads a CSV file of traces or vehicle positions, or a GPX file; plain or gzip.
    ///
    /// Vehicles are in the order of their first rows.
    /// - Throws: ``InputError``, also if no row is readable.
    package static func read(path: String) throws -> VehicleLog {
        var file = try TraceFile(LineReader(path: path))
        var log = VehicleLog()
        var slots: [String: Int] = [:]
        log.tally = try file.forEachRow { row in
            let slot = slots[row.traceID] ?? log.vehicles.count
            if slot == log.vehicles.count {
                slots[row.traceID] = slot
                log.vehicles.append(Vehicle(trace: RecordedTrace(id: row.traceID, driverID: row.driverID), labels: []))
            }
            log.vehicles[slot].trace.append(row)
            log.vehicles[slot].labels.append(row.run)
        }
        return log
    }

    /// The trip ids in all rows.
    package var tripIDs: Set<String> {
        vehicles.reduce(into: []) { ids, vehicle in
            for label in vehicle.labels { if let trip = label.tripID { ids.insert(trip) } }
        }
    }
}
