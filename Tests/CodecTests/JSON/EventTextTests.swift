import Codec
import Domain
import Testing

@Suite("Events as text")
struct EventTextTests {
    private static let events = [
        EventID(partition: 0, offset: 0), EventID(partition: .max, offset: .max),
        EventID(origin: .trips, partition: 3, offset: 511).withMessage(255),
        EventID(partition: 3, offset: 184_467).withFix(7).withMessage(1),
        EventID(partition: .max, offset: .max).withPunctuation((1 << 40) - 1).withMessage(255),
    ]

    @Test("an event written without allocating is its description", arguments: events)
    func event(event: EventID) {
        #expect(written { event.write(into: &$0) } == event.description)
    }

    @Test("a watermark written without allocating is its text and is read back from its text", arguments: events)
    func watermark(event: EventID) throws {
        let trips = EventID(origin: .trips, partition: .max, offset: .max)
        let watermarks = [
            Watermark(), event.origin == .raw ? Watermark(raw: event) : Watermark(trips: event),
            Watermark(raw: event.origin == .raw ? event : nil, trips: trips),
        ]
        for watermark in watermarks {
            #expect(written { watermark.write(into: &$0) } == watermark.text)
            #expect(Watermark(text: watermark.text) == watermark)
        }
    }
}
