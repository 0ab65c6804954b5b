/// What a service's answer means.
package enum PushOutcome: Sendable, Equatable {
    case delivered
    /// The device has no such app any more, or never had: its registration goes.
    case unregistered
    /// Our own login has expired; the request is made again with a new one.
    case loginExpired
    /// The service cannot take it now; `seconds`: how long it wants to be left alone, 0 where it does not say.
    case later(seconds: Int, reason: String)
    /// The service will never take it.
    case refused(reason: String)
}
