import Model
import Support

extension TripState {
    /// The state that a text names, spelled as in `trips`; `nil` for another text.
    static func named(_ text: String) -> TripState? { ByteSlice.withBytes(of: text) { find(wire: $0)?.state } }
}
