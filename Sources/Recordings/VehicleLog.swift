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
    /// How many rows were read, and what was left out.
    package var tally = ReadingTally()
    /// Rows that could not be read, or whose position is on no globe.
    package var unreadable: Int { tally.leftOut }

    package init() {}

    /// Reads a log whole: CSV of traces or of vehicle positions, told apart by their columns, or GPX; plain or gzip.
    ///
    /// Vehicles come in the order of their first rows.
    /// - Throws: ``InputError``, also when no row can be read.
    package static func read(path: String) throws -> VehicleLog {
        var file = try TraceFile(LineReader(path: path))
        var log = VehicleLog()
        var slots: [String: Int] = [:]
        while let next = try file.next() {
            switch next {
            case .failure(let fault): log.tally.note(fault)
            case .success(let row): log.add(row, &slots)
            }
        }
        try file.requireRecords(log.tally)
        return log
    }

    private mutating func add(_ row: TraceRow, _ slots: inout [String: Int]) {
        tally.noteRead(ignoring: row.ignored)
        let slot = slots[row.traceID] ?? vehicles.count
        if slot == vehicles.count {
            slots[row.traceID] = slot
            vehicles.append(Vehicle(trace: RecordedTrace(id: row.traceID, driverID: row.driverID), labels: []))
        }
        vehicles[slot].trace.append(row)
        vehicles[slot].labels.append(row.run)
    }

    /// The trips that rows name.
    package var tripIDs: Set<String> {
        vehicles.reduce(into: []) { found, vehicle in
            for label in vehicle.labels { if let trip = label.tripID { found.insert(trip) } }
        }
    }
}
