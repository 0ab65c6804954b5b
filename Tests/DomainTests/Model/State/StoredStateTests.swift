import Testing

@testable import Domain
@testable import Support

/// The encoding of a version must not change, because changelogs contain states of earlier releases.
@Suite struct StoredStateTests {
    private static func hex(_ room: Int, _ encode: (UnsafeMutableRawBufferPointer) -> Int) -> String {
        [UInt8](unsafeUninitializedCapacity: room) { $1 = encode(UnsafeMutableRawBufferPointer($0)) }
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test(
        "the encoding of a driver's state is unchanged",
        arguments: [(StoredStates.driver, driverHex), (DriverState(), newDriverHex)])
    func driver(state: DriverState, stored: String) {
        #expect(Self.hex(DriverState.maximumEncodedByteCount) { state.encode(into: $0) } == stored)
        #expect(Self.bytes(stored).withUnsafeBytes { DriverState(decoding: $0) } == state)
    }

    /// Stores the maximum number of ids instead of sequence numbers.
    @Test("the encoding of ids of fixes without sequence numbers is unchanged")
    func identities() {
        var state = DriverState()
        for hash in 1...20 as ClosedRange<UInt16> {
            var memory = state.order.identities
            memory.add(hash << 8 | hash)
            state.order.identities = memory
        }
        #expect(Self.hex(DriverState.maximumEncodedByteCount) { state.encode(into: $0) } == Self.identitiesHex)
        #expect(Self.bytes(Self.identitiesHex).withUnsafeBytes { DriverState(decoding: $0) } == state)
    }

    @Test("the encoding of a trip's progress is unchanged")
    func progress() {
        let trip = StoredStates.trip
        #expect(Self.hex(trip.maximumProgressByteCount) { trip.encodeProgress(into: $0) } == Self.newProgressHex)
        trip.progress = StoredStates.progress
        #expect(Self.hex(trip.maximumProgressByteCount) { trip.encodeProgress(into: $0) } == Self.progressHex)
        for (stored, expected) in [
            (Self.newProgressHex, StoredStates.trip.progress), (Self.progressHex, StoredStates.progress),
        ] {
            #expect(Self.bytes(stored).withUnsafeBytes { trip.restoreProgress($0) })
            #expect(trip.progress == expected)
        }
    }

    @Test(
        "progress is restored only if its coordinates are valid",
        arguments: [
            (90, 180, true), (-90, -180, true), (90.000001, 0, false), (-90.000001, 0, false), (0, 180.000001, false),
            (0, -180.000001, false), (Double.nan, 0, false), (0, 900_000_000, false),
        ])
    func coordinates(latitude: Double, longitude: Double, isRead: Bool) {
        let trip = StoredStates.trip
        trip.progress = StoredStates.progress
        trip.progress.position?.coordinate = Coordinate(latitude: latitude, longitude: longitude)
        let bytes = [UInt8](unsafeUninitializedCapacity: trip.maximumProgressByteCount) { room, count in
            count = trip.encodeProgress(into: UnsafeMutableRawBufferPointer(room))
        }
        #expect(bytes.withUnsafeBytes { StoredStates.trip.restoreProgress($0) } == isRead)
    }

    @Test(
        "the encoding of a broadcast state is unchanged",
        arguments: [(StoredStates.broadcast, broadcastHex), (BroadcastState(), newBroadcastHex)])
    func broadcast(state: BroadcastState, stored: String) {
        #expect(Self.hex(state.maximumEncodedByteCount) { state.encode(into: $0) } == stored)
        #expect(Self.bytes(stored).withUnsafeBytes { BroadcastState($0) } == state)
    }

    @Test("extreme numbers fit into the maximum size")
    func room() {
        var state = StoredStates.broadcast
        for _ in 0..<8 { state.intervals.add(.min) }
        state.fixedAt = Timestamp(milliseconds: .min)
        state.locationDueAt = Timestamp(milliseconds: .max)
        state.notifiedStop = .min
        state.stops = Array(repeating: state.stops[1], count: 50)
        #expect(Self.hex(state.maximumEncodedByteCount) { state.encode(into: $0) }.count > 1000)
        let trip = StoredStates.trip
        trip.progress = StoredStates.progress
        trip.progress.version = .min
        trip.progress.atStop = .max
        trip.progress.slowSince = Timestamp(milliseconds: .min)
        trip.progress.probes = Array(
            repeating: ArrivalProbe(stop: .min, etaSeconds: 1, arrivesAt: Timestamp(milliseconds: .min)), count: 200)
        #expect(Self.hex(trip.maximumProgressByteCount) { trip.encodeProgress(into: $0) }.count > 9600)
    }

    private static let driverHex = """
        01ffffff8100182e679c010000efbeadde6745230180890fd124efcdab891100f210d321b4329543765457653876010101a3130\
        1aae137bfa90703b2059f8d061400002040870e0000604001873be01df90bc1fb000fe7209711c701978e01110201bf5823e2ff\
        d1496b0018ef2e0000c03f80b4df1d0093c1fb210b000c0b16210405066401650266032c377a6805a30f670442bffe8e029f0ff\
        303e6074d5802636e07fa0005ffd90b790801b029e01dd01dc1fb000abfb802cc0fbf13080706050403020101000000feffffff\
        0d0e0000a03f0000403f1201e7070f100101ffefb2520e0f12004523010000007040af6d571368244433221188776655ccbbaa9\
        9135b3ffd67cd0f4940dbfae93f6b7e1cc0000060c000004441000010410000003f0000803e000000be000080410000c03f0000\
        40bf000080400000c03e000010400000203f000060bf0040ac430102000048412efb29090503000000fcffffff85ffc80103150\
        101064759de1d39eec2fb000006420000c03f000020c00264000000020008e201000000
        """

    private static let newDriverHex = """
        01000000000000000000000000
        """

    private static let identitiesHex = """
        010120000000000000000000000000000000000000000000000000141413131212111110100f0f0e0e0d0d000000040c0c0b0b\
        04040a0a09090303080807070202060605050101
        """

    private static let progressHex = """
        011bbe33375435802effffffdf00182e679c010000039a870cff9e49027c9a999999990149401f85eb51b81e1c400000000000e\
        05140000000000080204000000000000012409f06000000008001ab4083070000000000801840030102000000000053a240c345\
        0000000000506a400000000000c8674000000000008466400000000080e1b0400000000040ccb040020000000000c04240af6de\
        fab011f85eb51b8fe4840ec51b81e85eb1b40b0cc0b0000000000729740afea01060405bfcf241edfd4038fbf05ffd20e2380a6\
        1d0000c03f00400c4300c07a4302000048c10000a03f0000f0410000a0c1000020400000704201040080694398ba1c9f9005000\
        0000000187440ef150000a342fdf675e09c0149403b70ce88d21e1c400000000000000e4000002a42bf843dcf8c01ffd20e
        """

    private static let newProgressHex = """
        011bbe33375435802e0100000000182e679c01000003020000ffdff0f28c67ffdff0f28c670000000000000000000000000000\
        0000000000000000000000000000000000000000000000000000060000000000008042
        """

    private static let broadcastHex = """
        01ffff00182e679c01000002801900870e08020e80d0acf30ec23e010080d30e80018101bf25020675bfcf24ec80a61d32144b\
        72c3a46d6520e4b8ad02e0891c080706050403020101887766554433221108522d3134
        """

    private static let newBroadcastHex = """
        010000000000000000000000000000
        """
}
