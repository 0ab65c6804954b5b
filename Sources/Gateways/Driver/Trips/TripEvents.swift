import Support

/// Events of the trip service: those with a driver are to be written to `trips`, the others to be kept.
///
/// The values are parts of the request's body, and valid as long as it is.
package struct TripEvents {
    /// One record.
    package struct Event {
        /// The record's key.
        package var driver: String
        package var value: ByteSlice
    }

    /// Those with a driver.
    package var events: [Event]
    /// Those without one.
    package var requests: [TripRequest]
    /// Those whose facts cannot be passed on: they are followed without these, as readers of the topic do.
    package var withoutFacts: [UnreadableFixes]
}
