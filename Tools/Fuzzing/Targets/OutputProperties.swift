import Codec
import Domain
import Processing
import Support

/// What is true of everything that a stage writes, whatever it was given.
final class OutputProperties {
    enum Writer {
        case location, eta, broadcast
    }

    private let verdicts = VerdictReader()
    private let warnings = WarningReader()
    private let tripWarnings = TripWarningReader()
    private let etas = TripEtaReader()
    private let updates = RiderUpdateReader()
    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))

    /// What a stage writes is at most a multiple of what it was given, and some bytes for a record of any size.
    ///
    /// `given`: bytes of the record, and of whatever the stage holds that the record makes it tell again.
    func checkCost(_ written: Int, given: Int, of writer: Writer) {
        let factor =
            switch writer {
            case .location: 100
            case .eta: 40
            case .broadcast: 8
            }
        hold(written <= factor * given + 1 << 14, "\(given) bytes made the \(writer) stage write \(written).")
    }

    /// Every output that is not a dead letter can be read by who comes next.
    func check(_ output: InMemoryRunner.Output, of writer: Writer) {
        guard let value = output.value, !output.copiesInputHeaders else { return }
        holdText(value)
        switch (writer, output.topic) {
        case (.location, 0):
            let record = held(verdicts.read(value), "A verdict cannot be read: \(value.string)")
            hold(record.eventID == output.event, "A verdict has another clock than its record.")
            hold(record.risk, in: 0...1, "The risk")
        case (.location, 2): _ = held(warnings.read(value), "A warning cannot be read: \(value.string)")
        case (.eta, 0): _ = held(etas.read(value, into: &eta), "Arrival times cannot be read: \(value.string)")
        case (.eta, 3):
            _ = held(tripWarnings.read(value), "A warning about a trip cannot be read: \(value.string)")
        case (.broadcast, 0): _ = held(updates.read(value), "An update cannot be read: \(value.string)")
        default: break
        }
    }
}
