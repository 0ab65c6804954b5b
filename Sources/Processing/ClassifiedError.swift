/// A failure of a store, broker or service, classified by whether a retry can help.
package protocol ClassifiedError: Error, CustomStringConvertible {
    /// Whether the same call may succeed later without intervention; if not, the process must exit.
    var isRetriable: Bool { get }
}

/// Error of a sink or of its settings; the clients of stores have errors of their own.
package struct SinkError: ClassifiedError {
    package let description: String
    package let isRetriable: Bool

    package init(_ description: String, isRetriable: Bool = false) {
        (self.description, self.isRetriable) = (description, isRetriable)
    }
}
