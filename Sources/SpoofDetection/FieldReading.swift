/// What the fields of a fix say next to those of the fix before, while the vehicle moves.
struct FieldReading {
    /// Whether each field has another value than before; `nil` where either has none.
    struct Changes {
        var accuracy: Bool?
        var altitude: Bool?
        var speed: Bool?
    }

    /// Changes that this fix was due to bring, by the device's habits.
    struct Due {
        var eighths = 0
        /// The fields that they are of.
        var fields = 0
    }

    var changes: Changes
    /// `nil` after a gap, over which habits say nothing.
    var due: Due?
}
