/// Value of one setting in effect, for the log at start and for `--check-config`.
package struct EffectiveSetting: Sendable, Hashable, CustomStringConvertible {
    package enum Origin: Sendable, Hashable {
        case standard
        case environment
        case file(String)
    }

    package let key: String
    /// Masked if secret.
    package let value: String
    package let origin: Origin

    package var description: String {
        switch origin {
        case .standard: "\(key)=\(value) (default)"
        case .environment: "\(key)=\(value)"
        case .file(let path): "\(key)=\(value) (from \(path))"
        }
    }
}
