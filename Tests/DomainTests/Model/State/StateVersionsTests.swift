import Testing

@testable import Domain

@Suite("States of adjacent releases")
struct StateVersionsTests {
    /// A state whose second field was added in version 2.
    private struct Sample: Equatable {
        var first: Int64 = 0
        var second: Double?

        mutating func code<Coder: StateCoder>(with coder: inout Coder, _ versions: StateVersions) {
            coder.code(versions)
            let flags = coder.beginFlags(UInt8.self)
            coder.code(compact: &first)
            if coder.version >= 2 { coder.code(&second, bit: 0) }
            coder.endFlags(flags)
        }

        func written(by versions: StateVersions, as form: StateForm = .current) -> [UInt8] {
            var copy = self
            return [UInt8](unsafeUninitializedCapacity: 64) { room, count in
                var writer = StateWriter(UnsafeMutableRawBufferPointer(room), atMost: 64, as: form)
                copy.code(with: &writer, versions)
                count = writer.count
            }
        }

        static func read(_ bytes: [UInt8], by versions: StateVersions) -> Sample? {
            bytes.withUnsafeBytes { bytes in
                var sample = Sample()
                var reader = StateReader(bytes)
                sample.code(with: &reader, versions)
                return reader.hasReadAll ? sample : nil
            }
        }
    }

    private let first = StateVersions(current: 1, previous: 1)
    private let second = StateVersions(current: 2, previous: 1)
    private let third = StateVersions(current: 3, previous: 2)

    @Test("a release reads states of the previous one, without the new fields")
    func upgrade() {
        let old = Sample(first: -77)
        #expect(Sample.read(old.written(by: first), by: second) == old)
        let full = Sample(first: -77, second: 2.5)
        #expect(Sample.read(full.written(by: second), by: second) == full)
        #expect(Sample.read(full.written(by: second), by: third) == full)
    }

    @Test("states written for the previous release equal its own, byte for byte")
    func rollback() {
        let full = Sample(first: 12_345, second: 2.5)
        let bytes = full.written(by: second, as: .previous)
        #expect(bytes == Sample(first: 12_345).written(by: first))
        #expect(Sample.read(bytes, by: first) == Sample(first: 12_345))
        #expect(full.written(by: first, as: .previous) == full.written(by: first))
    }

    @Test("newer states and those from before the previous release are rejected with a reason")
    func refusal() {
        let sample = Sample(first: 1, second: 1)
        #expect(Sample.read(sample.written(by: second), by: first) == nil)
        #expect(Sample.read(sample.written(by: first), by: third) == nil)
        #expect(first.problem(of: 2) == .newer(version: 2, readable: 1))
        #expect(third.problem(of: 1) == .older(version: 1, readable: 2))
        for (version, isRead) in [(1, false), (2, true), (3, true), (4, false)] as [(UInt8, Bool)] {
            #expect((third.problem(of: version) == nil) == isRead, "\(version)")
        }
    }

    @Test("states of drivers, trips and broadcasts begin with a readable version")
    func states() {
        let driver = [UInt8](unsafeUninitializedCapacity: DriverState.maximumEncodedByteCount) {
            $1 = DriverState().encode(into: UnsafeMutableRawBufferPointer($0))
        }
        #expect(driver.first == DriverState.versions.current)
        let state = BroadcastState()
        let watchers = [UInt8](unsafeUninitializedCapacity: state.maximumEncodedByteCount) {
            $1 = state.encode(into: UnsafeMutableRawBufferPointer($0), as: .previous)
        }
        #expect(watchers.first == BroadcastState.versions.previous)
        #expect(watchers.withUnsafeBytes { BroadcastState($0) } == state)
        let trip = StoredStates.trip
        let progress = [UInt8](unsafeUninitializedCapacity: trip.maximumProgressByteCount) {
            $1 = trip.encodeProgress(into: UnsafeMutableRawBufferPointer($0), as: .previous)
        }
        #expect(progress.first == ActiveTrip.progressVersions.previous)
        #expect(progress.withUnsafeBytes { trip.restoreProgress($0) })
    }
}
