import Processing

/// Why notifications cannot be sent, for now or at all.
package struct PushSinkError: ClassifiedError {
    package let description: String
    package let isRetriable: Bool
    package var isFatal: Bool { !isRetriable }

    package init(description: String, isRetriable: Bool) {
        self.description = description
        self.isRetriable = isRetriable
    }
}
