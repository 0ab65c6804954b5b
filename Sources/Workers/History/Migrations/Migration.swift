/// One numbered step of the schema: a file of `History/Schema`, carried inside the program.
///
/// Embedded and not read from a folder: one binary then migrates from a checkout, a container or a laptop alike, and a
/// program can never meet the migrations of another version.
package struct Migration: Sendable, Hashable {
    package let version: Int
    package let name: String
    /// SQL, without `BEGIN` and `COMMIT`; a final newline is not part of it.
    package let script: String

    /// As the file is called: `0001_tables`.
    package var title: String {
        let digits = String(version)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_" + name
    }
}
