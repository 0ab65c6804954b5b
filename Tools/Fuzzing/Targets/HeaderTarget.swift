import Domain
import Support

/// Clock headers and event ids: every client that may write to a topic may write headers, too.
final class HeaderTarget: FuzzTarget {
    static let name = "header"

    func run(_ input: ByteSlice) {
        if let event = EventID(input) { holdText(of: event) }
        if let event = EventID(input.buffer, at: 0) {
            withBytes({ EventID.write(event, into: &$0) }) {
                hold($0.buffer.elementsEqual(input.buffer.prefix(EventID.byteCount)), "An event changed on the way.")
            }
        }
        guard let header = WatermarkHeader(input) else { return holdNotRaised(by: input) }
        hold(WatermarkHeader.event(of: input) == header.event, "A header names two events.")
        withBytes({ WatermarkHeader.encode(event: header.event, positions: header.positions, into: &$0) }) {
            hold($0 == input, "A clock header changed on being written.")
        }
        var positions = header.positions.map { _ in Int64.min }
        hold(WatermarkHeader.raise(&positions, by: input), "A header that is read does not raise positions.")
        hold(positions == header.positions, "A header raises positions to others than its own.")
        holdText(of: header.event)
    }

    private func holdNotRaised(by input: ByteSlice) {
        for count in 0...3 {
            var positions = Array(repeating: Int64.min, count: count)
            hold(!WatermarkHeader.raise(&positions, by: input), "A header that cannot be read raises positions.")
        }
    }

    /// Ids with offsets that a broker gives have one text, and it is read back.
    private func holdText(of event: EventID) {
        withBytes({ event.write(into: &$0) }) {
            hold($0.string == event.description, "An event has two texts: \($0.string) and \(event.description).")
            guard event.partition >= 0, event.offset >= 0, event.fix.map({ $0 < 0xFFFE }) ?? true else { return }
            hold(EventID($0) == event, "An event does not survive its text \($0.string).")
        }
    }

    private func withBytes(_ write: (inout ByteWriter) -> Void, _ body: (ByteSlice) -> Void) {
        var writer = ByteWriter()
        write(&writer)
        body(writer.bytes)
    }
}
