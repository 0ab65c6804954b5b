/// Mapping from the names of vehicles in a recording to unique driver ids.
///
/// Most valid ids stay the same. Hyphens at the ends and repeated hyphens are removed, and an id that another name
/// already has receives a number.
package struct DriverIDMapper {
    private var ids: [String: String] = [:]
    private var used: Set<String> = []

    package init() {}

    /// Returns the id of a name; repeated calls return the same id.
    package mutating func id(of name: String) -> String {
        if let id = ids[name] { return id }
        let valid = DriverIDFormat.id(forName: name) ?? "driver"
        var id = valid
        var number = 1
        while used.contains(id) {
            number += 1
            id = DriverIDFormat.id(valid, suffix: "-\(number)")
        }
        used.insert(id)
        ids[name] = id
        return id
    }
}

/// Conversion of names into valid driver ids.
enum DriverIDFormat {
    private static let maximumBytes = 128

    /// Returns an id for a file's name, without folders and without everything from the first dot.
    static func id(forFile path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return id(forName: file.split(separator: ".").first.map(String.init) ?? file) ?? "driver"
    }

    /// Appends a suffix, truncating the id to the maximum length.
    static func id(_ id: String, suffix: String) -> String {
        String(decoding: Array(id.utf8.prefix(maximumBytes - suffix.utf8.count)), as: UTF8.self) + suffix
    }

    /// Replaces runs of characters other than ASCII letters, digits and `_ . :` by one hyphen; `nil` if none remain.
    static func id(forName name: String) -> String? {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isLetter || isDigit || "_.:".utf8.contains(byte) {
                bytes.append(byte)
            } else if let last = bytes.last, last != UInt8(ascii: "-") {
                bytes.append(UInt8(ascii: "-"))
            }
        }
        bytes = Array(bytes.prefix(maximumBytes))
        while bytes.last == UInt8(ascii: "-") { bytes.removeLast() }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
