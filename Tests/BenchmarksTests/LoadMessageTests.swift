import Testing

@testable import Benchmarks
@testable import Codec
@testable import Domain
@testable import Support

@Suite("Messages of the benchmark's clients")
struct LoadMessageTests {
    private final class RecordingFeed: UpdateFeed {
        var updates: [(update: [UInt8], channel: String, partition: Int32)] = []
        func send(_ update: ByteSlice, channel: ByteSlice, partition: Int32) {
            updates.append((Array(update.buffer), String(decoding: channel.buffer, as: UTF8.self), partition))
        }
        func poll(waitMilliseconds: Int) {}
        func finish() {}
        func close() {}
    }

    @Test("an update of the load is valid for rider.updates and contains its probe")
    func update() throws {
        let updates = LoadUpdates(trips: 4, partitions: 3)
        let feed = RecordingFeed()
        for channel in [3, 3, 0] { try updates.send(channel, sentAt: 1_234_567, to: feed) }
        #expect(feed.updates.map(\.channel) == ["trip:load-3", "trip:load-3", "trip:load-0"])
        #expect(feed.updates.map(\.partition) == [0, 0, 0])
        for (index, sent) in feed.updates.enumerated() {
            try sent.update.withUnsafeBytes { bytes in
                let envelope = try #require(RiderUpdateEnvelopeReader().read(ByteSlice(bytes)))
                #expect(envelope.type == .driverLocation && envelope.event?.offset == Int64(index + 1))
                #expect(LoadMessage.isUpdate(bytes) && LoadMessage.type(bytes) == "driver_location")
                #expect(LoadMessage.event(bytes) == EventID(partition: 0, offset: Int64(index + 1)))
                #expect(UpdateProbe.read(bytes) == UpdateProbe(sequence: [1, 2, 1][index], sentAt: 1_234_567))
            }
        }
    }

    @Test(
        "no probe is read from a text without a complete probe",
        arguments: ["", "{}", #"{"payload":{"probe":"0000000001-00000000000000a0"}}"#])
    func noProbe(text: String) {
        #expect(Array(text.utf8).withUnsafeBytes { UpdateProbe.read($0) } == nil)
    }

    @Test("type, cursor and snapshot are read from a response")
    func answers() {
        func with<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            Array(text.utf8).withUnsafeBytes { body($0) }
        }
        let full = #"{"type":"subscribed","channel":"trip:1","cursor":["2-7","t2-1/2"],"snapshot":{"state":null}}"#
        #expect(with(full) { LoadMessage.type($0) } == "subscribed" && with(full) { LoadMessage.hasSnapshot($0) })
        #expect(with(full) { LoadMessage.cursor(of: $0) } == #"["2-7","t2-1/2"]"#)
        #expect(!with(full) { LoadMessage.isUpdate($0) })
        let plain = #"{"type":"subscribed","channel":"trip:1"}"#
        #expect(with(plain) { LoadMessage.cursor(of: $0) } == nil && !with(plain) { LoadMessage.hasSnapshot($0) })
        #expect(with("hello") { LoadMessage.type($0) }.isEmpty)
    }

    @Test("missing and repeated updates are counted, and a full snapshot resets the progress")
    func progress() {
        var (progress, totals) = (LoadProgress(), LoadTotals())
        func advance(_ sequence: Int64) -> Bool {
            let update = Array(#"{"type":"driver_location","event_id":"2-\#(sequence * 10)","channel":"c"}"#.utf8)
            return update.withUnsafeBytes {
                progress.advance(UpdateProbe(sequence: sequence, sentAt: .max), $0, &totals)
            }
        }
        func subscribed(_ text: String) { Array(text.utf8).withUnsafeBytes { progress.subscribed($0) } }
        #expect(progress.lastEventJSON == nil)
        subscribed(#"{"type":"subscribed","cursor":["2-5"],"snapshot":{}}"#)
        #expect(progress.lastEventJSON == #"["2-5"]"# && !progress.isResumed)
        #expect(advance(5) && advance(6) && progress.lastEventJSON == #""2-60""#)
        #expect(!advance(6) && totals.repeated == 1 && totals.missing == 0)
        #expect(advance(9) && totals.missing == 2)
        subscribed(#"{"type":"subscribed","cursor":["2-90"]}"#)
        #expect(progress.isResumed && advance(10) && totals.missing == 2)
        subscribed(#"{"type":"subscribed","cursor":["2-200"],"snapshot":{}}"#)
        #expect(!progress.isResumed && advance(21) && totals.missing == 2)
    }
}
