import Foundation
import Support
import Simulation

extension Fleet {
    /// The device's time stamp, read by a parser that has nothing to do with the writer.
    static func deviceTime(in record: [UInt8]) -> Timestamp? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(record)) as? [String: Any] else { return nil }
        let text = object["timestamp"] ?? (object["payload"] as? [String: Any])?["timestamp"]
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let text = text as? String, let date = try? style.parse(text) else { return nil }
        return Timestamp(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }
}
