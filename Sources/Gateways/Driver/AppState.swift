import Foundation
import Support

/// Whether the driver sees the device's app.
enum AppState: String {
    case foreground, background

    private struct Message: Decodable {
        let state: String
    }

    /// The state that a text names, in any case; `nil` for another text.
    static func named(_ text: String) -> AppState? { AppState(rawValue: text.lowercased()) }

    /// The `state` of a message; `nil` where it has none, or another one.
    static func read(_ message: ByteSlice) -> AppState? {
        let decoded = try? JSONDecoder().decode(Message.self, from: Data(message.buffer))
        return decoded.flatMap { named($0.state) }
    }
}
