/// Drivers of recordings that name none.
enum RecordedName {
    private static let maximumBytes = 128

    /// The driver that a file is about: its name, without folders and ending.
    static func driver(ofFile path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return driver(file.split(separator: ".").first.map(String.init) ?? file) ?? "driver"
    }

    /// An id with a suffix, within the length of ids.
    static func driver(_ id: String, suffix: String) -> String {
        String(decoding: Array(id.utf8.prefix(maximumBytes - suffix.utf8.count)), as: UTF8.self) + suffix
    }

    /// A name as a driver id, which has letters, digits and `_ - . :` alone; `nil` when nothing of it is left.
    static func driver(_ name: String) -> String? {
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
