import Codec
import Domain
import Support

/// Rider updates, as the history sink and `sightline tail` read them.
final class UpdateTarget: FuzzTarget {
    static let name = "update"
    private let reader = RiderUpdateReader()

    func run(_ input: ByteSlice) {
        guard let record = reader.read(input) else { return }
        var channel = ByteWriter()
        channel.append(record.channel)
        let once = written(record.update, record.eventID, channel.bytes)
        let twice = written(once, record.eventID, channel.bytes)
        hold(once == twice, "An update changed on being written twice: \(once) and \(twice).")
    }

    private func written(_ update: RiderUpdate, _ event: EventID, _ channel: ByteSlice) -> RiderUpdate {
        withWritten({ RiderUpdateWriter.write(event: event, channel: channel, update: update, into: &$0) }) { bytes in
            guard let record = reader.read(bytes) else {
                hold(false, "An update that was written cannot be read: \(bytes.string)")
                return update
            }
            hold(record.eventID == event && record.channel == channel, "An update changed its event or channel.")
            return record.update
        }
    }
}
