import Testing

@testable import Domain
@testable import EtaWorker
@testable import Processing
@testable import Support

@Suite("Road speed records of earlier versions")
struct RoadSpeedRecordTests {
    /// Parses an entry with this version and cell.
    private func read(version: UInt8, cell: UInt64) -> RoadSpeedRecord? {
        var state: [UInt8] = [version, 0, 0, 0, 0, 0]
        func append(_ number: UInt64) { withUnsafeBytes(of: number.littleEndian) { state += $0 } }
        append(cell)
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

    /// Key of a cell in version 2, in which a negative column changed the row.
    private func oldKey(row: Int32, column: Int32) -> UInt64 {
        UInt64(UInt32(bitPattern: row)) << 32 | UInt64(UInt32(bitPattern: column)) << 8 | 7 << 4 | 1
    }

    @Test("keys that 256 rows west of Greenwich shared are ignored", arguments: [-20_000, -1, 0, 18_887])
    func ambiguous(row: Int32) {
        #expect(read(version: 2, cell: oldKey(row: row, column: -48_313)) == nil)
        #expect(read(version: 2, cell: oldKey(row: row, column: -1)) == nil)
    }

    @Test("entries east of Greenwich, of legs and of arrival spreads are kept")
    func kept() {
        #expect(read(version: 2, cell: oldKey(row: 24_050, column: 4_200)) != nil)
        #expect(read(version: 2, cell: oldKey(row: 255, column: 4_200)) != nil)
        // Keys of legs and histograms are hashes.
        #expect(read(version: 2, cell: 0x1234_56ff_ff01_9271) != nil)
    }

    @Test("every cell of this version is accepted, and none of a later one")
    func versions() {
        #expect(read(version: 3, cell: 0x0000_49ff_ff43_4771) != nil)
        #expect(read(version: 4, cell: 0x0000_49ff_ff43_4771) == nil)
    }
}
