import Postgres

/// A writer of rows as GPX 1.1: a track per `driver_id`, or a single track without that column.
///
/// Rows must be ordered by driver and time; those without a position are skipped.
final class GPXRows: RowWriter {
    private var latitude: Int?
    private var longitude: Int?
    private var time: Int?
    private var driver: Int?
    private var current: String?
    private var isInTrack = false

    override func begin(_ columns: [PostgresColumn]) {
        super.begin(columns)
        (latitude, longitude) = (index(of: "latitude"), index(of: "longitude"))
        (time, driver) = (index(of: "fixed_at"), index(of: "driver_id"))
        output.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="sightline" xmlns="http://www.topografix.com/GPX/1/1">

            """)
    }

    override func write(_ row: PostgresRow) throws {
        guard let latitude, let longitude, !row.isNull(latitude), !row.isNull(longitude) else { return }
        let name = driver.flatMap { row.string($0) }
        if !isInTrack || name != current { beginTrack(name) }
        output.append("<trkpt lat=\"")
        row.withBytes(latitude) { $0.map { output.append(xmlEscaped: $0) } }
        output.append("\" lon=\"")
        row.withBytes(longitude) { $0.map { output.append(xmlEscaped: $0) } }
        output.append("\">")
        if let time, !row.isNull(time) {
            output.append("<time>")
            row.withBytes(time) { $0.map { output.append(timestamp: $0) } }
            output.append("</time>")
        }
        output.append("</trkpt>\n")
        try output.flushIfFull()
    }

    override func end() throws {
        endTrack()
        output.append("</gpx>\n")
    }

    private func beginTrack(_ name: String?) {
        endTrack()
        isInTrack = true
        current = name
        output.append("<trk>")
        if var name {
            output.append("<name>")
            name.withUTF8 { output.append(xmlEscaped: UnsafeRawBufferPointer($0)) }
            output.append("</name>")
        }
        output.append("<trkseg>\n")
    }

    private func endTrack() {
        if isInTrack { output.append("</trkseg></trk>\n") }
        isInTrack = false
    }
}
