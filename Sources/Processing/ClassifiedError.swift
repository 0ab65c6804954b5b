/// A failure of a store, broker or service, classified by whether a retry can help.
package protocol ClassifiedError: Error, CustomStringConvertible {
    /// Whether the same call may succeed later without intervention.
    var isRetriable: Bool { get }
    /// Whether the process must exit, with one line that states the cause.
    var isFatal: Bool { get }
}
