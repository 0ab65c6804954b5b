import Domain
import Recordings
import Support

/// Fixes of one driver in the order of receipt.
package struct ReceivedTrace: Sendable {
    package var name: String
    /// Name of the recording or simulation.
    package var origin: String
    /// Driver id; traces of one driver in a recording are counted together.
    package var driver: String
    package var fixes: [Fix] = []
    /// Receipt of each fix; for recordings, the device time.
    package var receivedAt: [Timestamp] = []
    /// Whether each fix is forged.
    package var isForged: [Bool] = []

    package init(name: String, origin: String) {
        self.name = name
        self.origin = origin
        driver = name
    }

    /// Makes a trace from a recorded trace; each fix is received at its device time.
    package init(_ trace: RecordedTrace, origin: String) {
        self.init(name: trace.id, origin: origin)
        driver = trace.driverID
        var latest = Timestamp(milliseconds: 0)
        for (index, fix) in trace.fixes.enumerated() {
            latest = fix.deviceAt ?? latest
            append(fix, receivedAt: latest, isForged: trace.isSpoofed[index])
        }
    }

    package mutating func append(_ fix: Fix, receivedAt: Timestamp, isForged: Bool = false) {
        fixes.append(fix)
        self.receivedAt.append(receivedAt)
        self.isForged.append(isForged)
    }

    /// Returns the device time of a fix, or its receipt time if it has none.
    func measuredAt(_ index: Int) -> Timestamp { fixes[index].deviceAt ?? receivedAt[index] }

    var hasForgedFixes: Bool { isForged.contains(true) }

    /// Returns the same drive with one fix every `seconds`; sequence numbers count only the remaining fixes.
    func thinned(to seconds: Double) -> ReceivedTrace {
        var thinned = ReceivedTrace(name: name, origin: origin)
        thinned.driver = driver
        var due: Timestamp?
        var sequence: Int64 = 0
        for (index, fix) in fixes.enumerated() {
            let at = measuredAt(index)
            // A timestamp may be early by up to an eighth of the interval; after a gap, the interval starts again.
            if let due, due.seconds(since: at) > seconds / 8 { continue }
            let isOnTime = due.map { at.seconds(since: $0) < seconds } ?? false
            due = (isOnTime ? due ?? at : at).advanced(bySeconds: seconds)
            sequence += 1
            var kept = fix
            if fix.sequence != nil { kept.sequence = sequence }
            thinned.append(kept, receivedAt: receivedAt[index], isForged: isForged[index])
        }
        return thinned
    }
}

package struct NamedRecording: Sendable {
    package var name: String
    package var traces: [ReceivedTrace]
}
