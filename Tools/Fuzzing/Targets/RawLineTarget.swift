import Codec
import Recordings
import Support

/// Lines of recorded raw records, whose times are moved.
final class RawLineTarget: FuzzTarget {
    static let name = "rawline"
    private let reader = RawRecordReader()

    func run(_ input: ByteSlice) {
        let still = RawLine(input)
        hold(still.fixes >= 1, "A line holds less than one fix.")
        hold(still.newest, "The newest time")
        let moved = RawLine(input, shifted(by: 60_000))
        hold(moved.driverID == still.driverID && moved.newest == still.newest, "Moving changes what was read.")
        guard still.newest != nil else {
            return hold(moved.bytes.elementsEqual(input.buffer), "A line without times was changed.")
        }
        let back = moved.bytes.withUnsafeBytes { RawLine(ByteSlice($0), shifted(by: -60_000)) }
        hold(back.fixes == still.fixes, "Times were lost on the way.")
        if still.newest.map({ $0.milliseconds < 253_402_300_739_999 }) ?? false {
            hold(
                back.newest?.milliseconds == still.newest.map { $0.milliseconds + 60_000 }, "A time was moved wrongly.")
        }
    }

    private func shifted(by milliseconds: Int64) -> ReplayTransform {
        var change = ReplayTransform()
        change.shiftMilliseconds = milliseconds
        return change
    }
}
