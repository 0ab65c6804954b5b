extension MessageFault {
    /// Whether the message may be one for the connection itself, such as `authenticate`.
    var mayBeOfConnection: Bool { reason == .unknownType || reason == .socketMessage }

    /// Whether the message is JSON, so that its members can be looked at.
    var isReadable: Bool {
        switch reason {
        case .emptyValue, .malformedJSON, .invalidUTF8, .tooLarge: false
        default: true
        }
    }
}
