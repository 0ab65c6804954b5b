import Processing

/// Error of the push sink or of its settings.
package struct PushSinkError: ClassifiedError {
    package let description: String
    package let isRetriable: Bool
    package var isFatal: Bool { !isRetriable }
}

/// A push service issues no token at the moment.
struct PushLoginError: Error, CustomStringConvertible {
    let description: String
}

/// Problem of a template file, as a part of a sentence.
package struct PushTemplateError: Error, CustomStringConvertible, Equatable {
    package let description: String
}
