import Domain
import Recordings
import Support

/// The fixes of one driver as they reach the pipeline, in the order of arrival.
package struct ReceivedTrace: Sendable {
    /// Names the trace within its ``origin``.
    package var name: String
    /// The recording or simulation that the trace is from.
    package var origin: String
    /// Names the driver; traces of one driver in one recording are counted together.
    package var driver: String
    package var fixes: [Fix] = []
    /// When each fix was received; for recordings, when the device took it.
    package var receivedAt: [Timestamp] = []
    /// Per fix: whether it is forged.
    package var isForged: [Bool] = []
    /// Ends of tunnels and cold starts, by the true time; known of simulated drives only.
    package var mishaps: [Timestamp] = []
    /// Indices of honest fixes that a simulated receiver put hundreds of metres wrong: rejecting them is right.
    package var glitches: Set<Int> = []

    package init(name: String, origin: String) {
        self.name = name
        self.origin = origin
        driver = name
    }

    /// A recorded trace, received as it was taken.
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

    /// When a fix was taken by the device's clock, or received where it has none.
    func takenAt(_ index: Int) -> Timestamp { fixes[index].deviceAt ?? receivedAt[index] }

    /// Whether anything in it is forged.
    var holdsAttack: Bool { isForged.contains(true) }
}
