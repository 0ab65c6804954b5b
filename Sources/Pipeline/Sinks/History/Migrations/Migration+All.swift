// swift-format-ignore-file
// Made by deploy/postgres/embed; edit the SQL there.

extension Migration {
    /// All migrations, oldest first.
    package static let all: [Migration] = [version0001, version0002, version0003, version0004, version0005, version0006, version0007, version0008]
}
