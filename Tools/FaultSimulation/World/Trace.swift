import CFaultSimulation

/// What happened in a simulation, line by line, and a digest of it.
///
/// Two runs of a seed have the same digest.
final class Trace {
    let isPrinting: Bool
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    private(set) var lineCount = 0

    /// - Parameter prints: whether to print each line when it is added.
    init(prints: Bool) { isPrinting = prints }

    /// FNV-1a hash of all lines and their times.
    var digest: UInt64 { hash }

    func add(_ line: @autoclosure () -> String) {
        let time = sl_clock_read()
        let text = line()
        lineCount += 1
        mix(UInt64(bitPattern: time))
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        if isPrinting { print(Trace.text(time), text) }
    }

    /// Adds bytes to the digest without a line.
    func mix(bytes: [UInt8]) {
        for byte in bytes { mix(UInt64(byte)) }
    }

    /// Adds a number to the digest without a line.
    func mix(_ number: UInt64) { hash = (hash ^ number) &* 0x100_0000_01b3 }

    /// Formats a time as seconds with microseconds.
    private static func text(_ nanoseconds: Int64) -> String {
        let microseconds = String(nanoseconds / 1000 % 1_000_000)
        let zeros = String(repeating: "0", count: 6 - microseconds.count)
        return "\(nanoseconds / 1_000_000_000).\(zeros)\(microseconds)"
    }
}
