import Foundation

/// A zip archive of uncompressed files (PKWARE APPNOTE, section 4.3).
struct ZipArchive {
    private var body = Data()
    private var directory = Data()
    private var count: UInt16 = 0

    mutating func add(_ name: String, _ text: String) {
        let content = Data(text.utf8)
        var common = Data()
        for value in [20, 0, 0, 0, 0] as [UInt16] { common.append(value) }
        for value in [Self.checksum(content), UInt32(content.count), UInt32(content.count)] { common.append(value) }
        common.append(UInt16(name.utf8.count))
        common.append(UInt16(0))
        directory.append(UInt32(0x0201_4b50))
        directory.append(UInt16(20))
        directory += common
        for value in [0, 0, 0] as [UInt16] { directory.append(value) }
        directory.append(UInt32(0))
        directory.append(UInt32(body.count))
        directory += Data(name.utf8)
        body.append(UInt32(0x0403_4b50))
        body += common + Data(name.utf8) + content
        count += 1
    }

    var data: Data {
        var end = Data()
        end.append(UInt32(0x0605_4b50))
        for value in [0, 0, count, count] as [UInt16] { end.append(value) }
        end.append(UInt32(directory.count))
        end.append(UInt32(body.count))
        end.append(UInt16(0))
        return body + directory + end
    }

    private static func checksum(_ data: Data) -> UInt32 {
        ~data.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xedb8_8320 : 0) }
        }
    }
}

extension Data {
    fileprivate mutating func append(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
