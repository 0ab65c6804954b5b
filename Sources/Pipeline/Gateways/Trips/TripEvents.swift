import Bytes

/// Events of the trip service, each to be written to `trips`.
///
/// The values are parts of the request's body, and valid as long as it is.
package struct TripEvents {
    /// One record.
    package struct Event {
        /// The record's key.
        package var driver: String
        package var value: ByteSlice
    }

    /// At least one.
    package var events: [Event]
    /// Those whose facts cannot be passed on: they are followed without these, as readers of the topic do.
    package var withoutFacts: [UnreadableFixes]
}
