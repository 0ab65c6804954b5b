import Domain
import Foundation
import Support

/// Writes seeds that cannot be kept by hand: what our own writers write today, and inputs made of numbers.
enum SeedWriter {
    /// Writes a folder per target below `path`.
    static func write(to path: String) throws {
        let scene = Scene()
        try write(scene.verdicts.map(\.value), of: VerdictTarget.self, to: path)
        try write(scene.etas.map(\.value), of: EtaTarget.self, to: path)
        try write(scene.updates.map(\.value), of: UpdateTarget.self, to: path)
        try write(scene.warnings.map(\.value), of: WarningTarget.self, to: path)
        try write(scene.raw.prefix(2).map(\.value), of: RawTarget.self, to: path)
        try write(scene.trips.map(\.value), of: TripTarget.self, to: path)
        try write(headers, of: HeaderTarget.self, to: path)
        let states =
            scene.verdicts.map { [0] + $0.state } + scene.etas.map { [1] + $0.state }
            + scene.updates.map { [3] + $0.state } + [pace]
        try write(states.filter { $0.count > 1 }, of: StateTarget.self, to: path)
        try write([journey], of: PipelineTarget.self, to: path)
    }

    private static func write(_ seeds: [[UInt8]], of target: any FuzzTarget.Type, to path: String) throws {
        let folder = URL(fileURLWithPath: path).appending(path: target.name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (number, seed) in seeds.enumerated() {
            try Data(seed).write(to: folder.appending(path: "written-\(number)"))
        }
    }

    /// A learned pace, 120 m in 10 s, as its record's header has it.
    private static var pace: [UInt8] {
        var writer = ByteWriter()
        for byte: UInt8 in [2, 2, 0, 0, 0, 0, 0] { writer.append(byte) }
        writer.append(littleEndian: UInt64(0x1234_5678_9abc))
        writer.append(UInt8(8))
        writer.append(littleEndian: 120.0.bitPattern)
        writer.append(littleEndian: 10.0.bitPattern)
        writer.append(littleEndian: Scene.start.milliseconds)
        return Array(writer.bytes.buffer)
    }

    private static var headers: [[UInt8]] {
        let event = EventID(partition: 3, offset: 184_467).withFix(7).withMessage(1)
        var writer = ByteWriter()
        WatermarkHeader.encode(event: event, positions: [184_467, 512], into: &writer)
        return [Array(writer.bytes.buffer)] + ["t3-512", "3-184467.7+2/1"].map { Array($0.utf8) }
    }

    /// A trip of two stops with a route, a dozen fixes along it, and its end; see ``PipelineTarget``.
    private static var journey: [UInt8] {
        func trip(_ state: UInt8, _ version: UInt8) -> [UInt8] {
            let stops: [UInt8] = [2, 0, 0, 100, 0, 0, 120]
            let route: [UInt8] = [4, 0, 0, 100, 0, 200, 0, 44, 1, 60]
            return [5, 20, 16 | state] + stops + route + [version, 0]
        }
        func fix(_ number: UInt8) -> [UInt8] {
            let east = UInt16(number) * 160
            return [0, 20, 6, 0, 0, UInt8(truncatingIfNeeded: east), UInt8(east >> 8), number, 6, 176, 4, 90]
        }
        return trip(1, 1) + (1...4).flatMap(fix) + trip(3, 2) + (5...12).flatMap(fix) + trip(4, 3)
    }
}
