import Codec
import Domain
import Support

/// Reads `driver.warnings` for the devices of the drivers; the name is the driver's id.
struct WarningIntakeReader: IntakeReader {
    typealias Name = String

    static let topic = PipelineTopic.warnings
    private let reader = WarningReader()

    func content(of value: ByteSlice) -> DriverWarning? {
        guard let record = reader.read(value) else { return nil }
        return DriverWarning(record.warning.reason, record.warning.action, event: record.eventID)
    }
}
