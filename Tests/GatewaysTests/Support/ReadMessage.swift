@testable import Domain
@testable import Gateways
@testable import Support

/// Result of ``DriverMessageReader``, as values that outlive the message.
struct ReadMessage: Equatable {
    var kind: String
    var value = ""
    var fixCount = 0
    var unreadable: [FaultRun] = []
    /// Session and range of the sequences, such as `s1 6…8`; empty without sequences.
    var sequences = ""
    var fault: MessageFault?
    var status: TripMessage?
    var isBatch = false

    init(_ message: DriverMessage) {
        switch message {
        case .locations(let locations):
            kind = "locations"
            value = locations.value.string
            (isBatch, fixCount, unreadable) = (locations.isBatch, locations.fixCount, locations.unreadable)
            sequences = locations.sequences.map { "\($0.session.string) \($0.lowest)…\($0.highest)" } ?? ""
        case .tripStatus(let trip, let value): (kind, status, self.value) = ("status", trip, value.string)
        case .ping: kind = "ping"
        case .pong: kind = "pong"
        case .refused(let fault): (kind, self.fault) = ("refused", fault)
        }
    }

    /// Code and field of the fault; empty if the message is accepted.
    var refusal: String { fault.map { "\($0.code) \($0.field)" } ?? "" }
}

extension DriverMessageReader {
    func read(_ message: String, driver: String = "drv_17") -> ReadMessage {
        ByteSlice.withBytes(of: driver) { driver in
            ByteSlice.withBytes(of: message) { ReadMessage(read(MessageOutline($0), driver: driver)) }
        }
    }
}
