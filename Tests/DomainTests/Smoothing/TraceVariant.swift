import Domain
import Recordings
import Support

/// A variant of a trace, as recorded by a poorer device.
enum TraceVariant: Sendable, Hashable {
    case asRecorded
    case withoutSpeed
    case withoutHeading
    case withoutAccuracy
    case positionsOnly
    /// Fixes at least `seconds` apart.
    case thinned(seconds: Double)
    /// Timestamps truncated to whole seconds.
    case wholeSeconds
    /// Every second fix repeats the previous position, as in polled logs.
    case stale
    /// Constant accuracy that some devices state, in metres.
    case statedAccuracy(meters: Double)
    /// Stated accuracy divided by `factor`.
    case optimistic(factor: Double)

    static let all: [TraceVariant] =
        [.asRecorded, .withoutSpeed, .withoutHeading, .withoutAccuracy, .positionsOnly]
        + [2, 5, 10, 30].map { .thinned(seconds: $0) }
        + [.wholeSeconds, .stale, .statedAccuracy(meters: 5), .optimistic(factor: 4)]

    var name: String {
        switch self {
        case .asRecorded: "as recorded"
        case .withoutSpeed: "without speed"
        case .withoutHeading: "without heading"
        case .withoutAccuracy: "without accuracy"
        case .positionsOnly: "positions only"
        case .thinned(let seconds): "every \(Int(seconds)) s"
        case .wholeSeconds: "whole seconds"
        case .stale: "stale repeats"
        case .statedAccuracy(let meters): "accuracy always \(Int(meters)) m"
        case .optimistic(let factor): "accuracy \(Int(factor)) times too good"
        }
    }

    /// Returns the trace with the variant's changes; its truth is unchanged.
    func applied(to trace: RecordedTrace) -> RecordedTrace {
        var result = trace
        switch self {
        case .asRecorded: break
        case .thinned(let seconds): return Self.thin(trace, seconds: seconds)
        case .stale:
            for index in stride(from: 1, to: trace.fixes.count, by: 2) {
                result.fixes[index].coordinate = trace.fixes[index - 1].coordinate
            }
        default:
            for index in result.fixes.indices { change(&result.fixes[index]) }
        }
        return result
    }

    private func change(_ fix: inout Fix) {
        switch self {
        case .withoutSpeed:
            fix.speedMetersPerSecond = nil
            fix.headingDegrees = nil
        case .withoutHeading: fix.headingDegrees = nil
        case .withoutAccuracy: fix.accuracyMeters = nil
        case .positionsOnly:
            fix.speedMetersPerSecond = nil
            fix.headingDegrees = nil
            fix.accuracyMeters = nil
        case .wholeSeconds:
            fix.deviceAt = fix.deviceAt.map { Timestamp(milliseconds: $0.milliseconds / 1000 * 1000) }
        case .statedAccuracy(let meters): fix.accuracyMeters = meters
        case .optimistic(let factor): fix.accuracyMeters = fix.accuracyMeters.map { $0 / factor }
        case .asRecorded, .thinned, .stale: break
        }
    }

    private static func thin(_ trace: RecordedTrace, seconds: Double) -> RecordedTrace {
        var result = RecordedTrace(id: trace.id, driverID: trace.driverID)
        var last: Timestamp?
        for (index, fix) in trace.fixes.enumerated() {
            guard let at = fix.deviceAt else { continue }
            // Half a millisecond of tolerance, because timestamps are whole milliseconds.
            if let last, at.seconds(since: last) < seconds - 0.0005 { continue }
            last = at
            result.fixes.append(fix)
            result.truth.append(trace.truth[index])
            result.isSpoofed.append(trace.isSpoofed[index])
        }
        return result
    }
}
