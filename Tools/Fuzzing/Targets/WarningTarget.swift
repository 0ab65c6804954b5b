import Codec
import Support

/// Warnings, as the history sink reads them.
final class WarningTarget: FuzzTarget {
    static let name = "warning"
    private let reader = WarningReader()

    func run(_ input: ByteSlice) {
        guard let record = reader.read(input) else { return }
        hold(record.risk, in: 0...1, "The risk")
        hold(record.at, "The time")
        holdText(record.message)
        holdIdentifier(record.driverID.string)
        var driver = ByteWriter()
        driver.append(record.driverID)
        let (event, warning, at) = (record.eventID, record.warning, record.at)
        withWritten({
            WarningWriter.write(
                event: event, driverID: driver.bytes, warning: warning, risk: record.risk, at: at, into: &$0)
        }) { bytes in
            let again = held(reader.read(bytes), "A warning that was written cannot be read: \(bytes.string)")
            hold(
                again.eventID == event && again.driverID == driver.bytes && again.at == at
                    && again.warning.reason == warning.reason && again.warning.action == warning.action
                    && again.warning.evidence.fixes == warning.evidence.fixes, "A warning changed on being written.")
        }
    }
}
