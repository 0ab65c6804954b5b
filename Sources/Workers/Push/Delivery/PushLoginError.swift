/// A service gives us no login now.
struct PushLoginError: Error, CustomStringConvertible {
    let description: String
}
