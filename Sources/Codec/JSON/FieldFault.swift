import CSimdJSON

/// What is wrong with a field, and which one it is.
struct FieldFault: Error {
    var reason: DeadLetterReason
    var key: sl_key

    /// The field's name on the wire.
    var name: String { String(cString: sl_key_name(key)) }
}
