import Bytes
import Tracking

/// The `context` of a state change as riders get it: what the trip service said, and before it the arrival that was
/// detected, as `detected_arrival`.
enum RiderContext {
    private static let prefix: StaticString = "{\"detected_arrival\":\""

    /// Writes the member, with the comma before it, when there is anything to say.
    static func write(_ change: RiderUpdate.StateChange, _ json: inout JSONCursor) {
        guard let stop = change.detectedArrivalStopID else {
            if let context = change.contextJSON {
                json.literal(",\"context\":")
                json.json(context)
            }
            return
        }
        json.literal(",\"context\":{\"detected_arrival\":")
        json.text(stop)
        if let context = change.contextJSON, context.utf8.count > 2 {
            json.literal(",")
            json.json(String(context.dropFirst()))
        } else {
            json.literal("}")
        }
    }

    /// Takes a written context apart again; the detected stop is looked up by `read`.
    static func split(_ context: ByteSlice) -> (rest: String?, hasDetectedArrival: Bool) {
        let prefixCount = prefix.utf8CodeUnitCount
        guard context.count > prefixCount, ByteSlice(start: context.start, count: prefixCount) == prefix else {
            return (context.string, false)
        }
        var end = prefixCount
        while end < context.count, context[end] != UInt8(ascii: "\"") {
            end += context[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end + 1 < context.count, context[end + 1] == UInt8(ascii: ",") else { return (nil, true) }
        let rest = ByteSlice(start: context.start.map { $0 + end + 2 }, count: context.count - end - 2)
        return ("{" + rest.string, true)
    }
}
