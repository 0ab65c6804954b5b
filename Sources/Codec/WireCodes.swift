import Model
import Support

/// A set of marks that the wire spells as a list of words.
protocol WireCodes: OptionSet where RawValue: FixedWidthInteger {
    static var all: [(code: StaticString, value: Self)] { get }
}

extension WireCodes {
    /// Adds the mark that `code` spells; nothing for a word that is not known.
    mutating func insert(code: ByteSlice) {
        for (known, value) in Self.all where code == known {
            // `insert` would go through generic code of sets, which is not specialised across modules.
            self = Self(rawValue: rawValue | value.rawValue)
        }
    }
}

extension Reasons: WireCodes {}
extension Signals: WireCodes {}
extension FareChecks: WireCodes {}
