/// Numbered step of the database schema: a file of `History/Schema`, embedded in the program.
///
/// Embedding makes a program independent of the working directory, and of the migrations of another version.
package struct Migration: Sendable, Hashable {
    package let version: Int
    package let name: String
    /// SQL without `BEGIN` and `COMMIT`, and without the file's final newline.
    package let script: String

    /// Name of the file, such as `0001_tables`.
    package var title: String {
        let digits = String(version)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_" + name
    }
}

extension Migration {
    /// All migrations, oldest first.
    ///
    /// Never change a released migration; add a new one. SwiftPM embeds each file of
    /// `History/Schema` as a constant whose name has `_` instead of the first digit.
    package static let all: [Migration] = [
        Migration(version: 1, name: "tables", file: PackageResources._001_tables_sql),
        Migration(version: 2, name: "partitions", file: PackageResources._002_partitions_sql),
        Migration(version: 3, name: "queries", file: PackageResources._003_queries_sql),
        Migration(version: 4, name: "roles", file: PackageResources._004_roles_sql),
    ]

    /// `file`: content of the SQL file.
    private init(version: Int, name: String, file: [UInt8]) {
        var script = String(decoding: file, as: UTF8.self)
        if script.hasSuffix("\n") { script.removeLast() }
        self.init(version: version, name: name, script: script)
    }
}
