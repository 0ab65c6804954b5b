import ArgumentParser
import Foundation
import PositionWorker
import Redis
import Runtime

/// `sightline nearest`: lists the drivers nearest to a place.
struct NearestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearest", abstract: "List the drivers nearest to a place, from Redis.",
        discussion: """
            Searches all cells that the circle intersects. Drivers excluded by SIGHTLINE_NEAREST_DRIVERS (by default \
            flagged ones) are not listed; suspects are marked. Drivers without a fix for 10 minutes are not found.

            For past periods use sightline history near. docs/storage.md shows the same query for redis-cli and psql.
            """)

    @Argument(help: ArgumentHelp("The place: \(CoordinateArgument.format).", valueName: "latitude,longitude"))
    var place: CoordinateArgument

    @Option(help: "Distance in metres.")
    var radius = 5000.0

    @Option(help: "Maximum number of drivers.")
    var count = 10

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Print the keys of the sets that would be searched, one per line, without querying Redis.")
    var keys = false

    func validate() throws {
        guard radius > 0, radius <= NearestSearch.maximumRadiusMeters else {
            throw ValidationError("--radius must be above 0 and at most 200000 m.")
        }
        guard (1...100_000).contains(count) else { throw ValidationError("--count must be 1 to 100000.") }
        if json, keys { throw ValidationError("Give --json or --keys, not both.") }
        guard abs(place.coordinate.latitude) <= GeoArea.maximumLatitude else {
            throw ValidationError(
                "Redis has no positions beyond a latitude of 85.05 degrees; use `sightline history near`.")
        }
    }

    func run() throws {
        let settings = try Settings(for: .commandLine)
        let configuration = try settings.positionSink()
        if keys {
            for cell in GeoArea.around(place.coordinate, radiusMeters: radius) {
                print("\(configuration.keyPrefix)drivers:geo:\(cell)")
            }
            return
        }
        let result = try NearestSearch(
            keyPrefix: configuration.keyPrefix, nearestDrivers: configuration.nearestDrivers,
            over: RedisConnection(configuration.redis)
        ).drivers(near: place.coordinate, radiusMeters: radius, count: count)
        let now = WallClock.milliseconds()
        let rows = result.drivers.map { NearbyDriverRow($0, now: now) }
        if json {
            let report = Report(
                latitude: place.coordinate.latitude, longitude: place.coordinate.longitude, radiusMeters: radius,
                drivers: rows)
            FileHandle.standardOutput.write(try ReportFile.json(report))
        } else {
            print(text(result, rows, width: Terminal.current().width))
        }
    }

    private struct Report: Encodable {
        var latitude: Double
        var longitude: Double
        var radiusMeters: Double
        var drivers: [NearbyDriverRow]
    }

    private func text(_ result: NearestSearch.Result, _ rows: [NearbyDriverRow], width: Int?) -> String {
        guard !rows.isEmpty else {
            let cells = pluralize(result.cells.count, "cell")
            return TextTable.wrapped(
                "No driver is within \(Int(radius)) m (\(cells) searched, \(result.searchedCells) with drivers). "
                    + "Use a larger --radius; drivers without a fix for 10 minutes are not found.", width: width
            ).joined(separator: "\n")
        }
        let numbers: Set<String> = ["meters", "latitude", "longitude", "age_s", "heading", "speed_mps"]
        let names = [
            "driver_id", "meters", "latitude", "longitude", "age_s", "status", "heading", "speed_mps", "trip_id",
            "fixed_at",
        ]
        var table = TextTable(names.map { TextTable.Column(name: $0, isNumeric: numbers.contains($0)) })
        table.advice = "widen the terminal, or use --json"
        for driver in rows {
            table.add([
                driver.driverID, "\(driver.meters)", "\(driver.latitude)", "\(driver.longitude)",
                "\(driver.ageSeconds)", driver.status, driver.heading.map { "\($0)" } ?? "",
                driver.speedMps.map { "\($0)" } ?? "", driver.tripID ?? "", driver.fixedAt,
            ])
        }
        return (table.lines(width: width) + [pluralize(rows.count, "driver")]).joined(separator: "\n")
    }
}
