import CSimdJSON
import Domain
import Support

/// The `context` of a state change for riders: `detected_arrival`, if any, then the trip service's members.
enum RiderContext {
    private static let prefix: StaticString = "{\"detected_arrival\":\""

    /// Returns the context's JSON; `nil` if the change has neither a detected arrival nor a context.
    static func joined(_ change: RiderUpdate.StateChange) -> String? {
        guard let stop = change.detectedArrivalStopID else { return change.contextJSON }
        var writer = ByteWriter()
        writer.append("{\"detected_arrival\":")
        writer.appendJSON(atMost: JSONCursor.maximumTextCount(stop)) { $0.text(stop) }
        if let context = change.contextJSON, context.utf8.count > 2 {
            writer.append(",")
            writer.append(String(context.dropFirst()))
        } else {
            writer.append("}")
        }
        return writer.bytes.string
    }

    /// Reverses ``joined(_:)``: assigns `detected_arrival` and the trip service's members to `change`.
    static func split(_ context: String?, into change: inout RiderUpdate.StateChange) {
        change.contextJSON = context
        change.detectedArrivalStopID = nil
        guard let context else { return }
        ByteSlice.withBytes(of: context) { context in
            guard context.dropping(prefix: prefix) != nil else { return }
            let end = MemberScanner.closingQuote(in: context, from: prefix.utf8CodeUnitCount)
            guard end + 1 < context.count else { return }
            let head = ByteSlice(start: context.start, count: end + 1).string + "}"
            change.detectedArrivalStopID = ByteSlice.withBytes(of: head) { detectedArrival($0) }
            let hasMore = context[end + 1] == UInt8(ascii: ",")
            let rest = ByteSlice(start: context.start.map { $0 + end + 2 }, count: context.count - end - 2)
            change.contextJSON = hasMore ? "{" + rest.string : nil
        }
    }

    private static func detectedArrival(_ context: ByteSlice) -> String? {
        let storage = JSONStorage()
        var object: JSONValue?
        var stop: String?
        guard storage.parser.read(context, into: &object) == SL_OK, let object else { return nil }
        try? GenericJSONReader(object, storage).text(SL_KEY_DETECTED_ARRIVAL, &stop, .any)
        return stop
    }
}
