import Testing

@testable import Domain
@testable import Processors
@testable import Processing
@testable import Support

@Suite("Road speed records")
struct RoadSpeedRecordTests {
    private func read(version: UInt8) -> RoadSpeedRecord? {
        var state: [UInt8] = [version, 0, 0, 0, 0, 0]
        func append(_ number: UInt64) { withUnsafeBytes(of: number.littleEndian) { state += $0 } }
        append(0x0000_49ff_ff43_4771)
        state.append(RoadSpeedTable.recentBand)
        append((200.0).bitPattern)
        append((20.0).bitPattern)
        append(1_770_000_000_000)
        return state.withUnsafeBytes { bytes in
            RoadSpeedRecord(
                InputRecord(
                    input: 2, partition: 0, offset: 1, timestamp: Timestamp(milliseconds: 1_770_000_000_000),
                    key: .empty,
                    value: nil, event: EventID(partition: 0, offset: 7), state: ByteSlice(bytes)))
        }
    }

    @Test("only an entry of the current version is read")
    func versions() {
        #expect(read(version: 1) != nil)
        #expect(read(version: 0) == nil)
        #expect(read(version: 2) == nil)
    }
}
