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

        func written(by versions: StateVersions) -> [UInt8] {
            var copy = self
            return [UInt8](unsafeUninitializedCapacity: 64) { room, count in
                var writer = StateWriter(UnsafeMutableRawBufferPointer(room), atMost: 64)
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

    @Test("a release reads states of the previous release, without the new fields")
    func upgrade() {
        let old = Sample(first: -77)
        #expect(Sample.read(old.written(by: first), by: second) == old)
        let full = Sample(first: -77, second: 2.5)
        #expect(Sample.read(full.written(by: second), by: second) == full)
        #expect(Sample.read(full.written(by: second), by: third) == full)
    }

    @Test("a state newer than the release or older than the previous release is unreadable")
    func unreadable() {
        let sample = Sample(first: 1, second: 1)
        #expect(Sample.read(sample.written(by: second), by: first) == nil)
        #expect(Sample.read(sample.written(by: first), by: third) == nil)
        #expect(first.problem(of: 2) == .newer(version: 2, readable: 1))
        #expect(third.problem(of: 1) == .older(version: 1, readable: 2))
        for (version, isRead) in [(1, false), (2, true), (3, true), (4, false)] as [(UInt8, Bool)] {
            #expect((third.problem(of: version) == nil) == isRead, "\(version)")
        }
    }
}
