extension Migration {
    /// All migrations, oldest first.
    ///
    /// SwiftPM makes a constant of each file in `History/Schema`, with `_` for the first digit. Never change a migration
    /// that was released: add one.
    package static let all: [Migration] = [
        Migration(version: 1, name: "tables", file: PackageResources._001_tables_sql),
        Migration(version: 2, name: "partitions", file: PackageResources._002_partitions_sql),
        Migration(version: 3, name: "questions", file: PackageResources._003_questions_sql),
        Migration(version: 4, name: "roles", file: PackageResources._004_roles_sql),
        Migration(version: 5, name: "fare_checks", file: PackageResources._005_fare_checks_sql),
        Migration(version: 6, name: "least_privilege", file: PackageResources._006_least_privilege_sql),
        Migration(version: 7, name: "day_bounds", file: PackageResources._007_day_bounds_sql),
        Migration(version: 8, name: "kafka_words", file: PackageResources._008_kafka_words_sql),
        Migration(version: 9, name: "judged_positions", file: PackageResources._009_judged_positions_sql),
        Migration(version: 10, name: "device_report", file: PackageResources._010_device_report_sql),
        Migration(version: 11, name: "trip_warnings", file: PackageResources._011_trip_warnings_sql),
        Migration(version: 12, name: "open_warnings", file: PackageResources._012_open_warnings_sql),
        Migration(version: 13, name: "trips_by_fixes", file: PackageResources._013_trips_by_fixes_sql),
        Migration(version: 14, name: "smoothed_paths", file: PackageResources._014_smoothed_paths_sql),
        Migration(version: 15, name: "date_line", file: PackageResources._015_date_line_sql),
    ]

    /// `file`: the SQL as the file holds it.
    private init(version: Int, name: String, file: [UInt8]) {
        var script = String(decoding: file, as: UTF8.self)
        if script.hasSuffix("\n") { script.removeLast() }
        self.init(version: version, name: name, script: script)
    }
}
