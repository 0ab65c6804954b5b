import CSimdJSON
import Domain
import Support

/// Enumeration whose cases are written as words.
protocol WireCode: CaseIterable {
    var code: StaticString { get }
    /// The words of all cases, stored because `code` and `allCases` are calls into another module.
    static var words: [(code: StaticString, value: Self)] { get }
}

extension WireCode {
    static func allWords() -> [(code: StaticString, value: Self)] { allCases.map { ($0.code, $0) } }

    @inline(__always) init?(_ text: ByteSlice?) {
        guard let text, let start = text.start else { return nil }
        for (code, value) in Self.words {
            guard code.utf8CodeUnitCount == text.count, sl_same_bytes(code.utf8Start, start, text.count) else {
                continue
            }
            self = value
            return
        }
        return nil
    }
}

extension Verdict: WireCode { static let words = allWords() }
extension Confidence: WireCode { static let words = allWords() }
extension LocationWarning.Action: WireCode { static let words = allWords() }
extension TripState: WireCode { static let words = allWords() }
extension TripStage: WireCode { static let words = allWords() }
extension Fix.Source: WireCode { static let words = allWords() }
extension Fix.Integrity: WireCode { static let words = allWords() }
extension TripMessage.Kind: WireCode { static let words = allWords() }
extension TripMessage.Stop.Kind: WireCode { static let words = allWords() }
extension TripEta.StopStatus: WireCode { static let words = allWords() }
extension TripEta.Delay: WireCode { static let words = allWords() }
extension TripEta.Traffic: WireCode { static let words = allWords() }
extension TripWarning.Code: WireCode { static let words = allWords() }
extension TripWarning.Ending: WireCode { static let words = allWords() }
extension RiderUpdate.VehiclePosition.Occupancy: WireCode { static let words = allWords() }
extension RiderUpdate.Notification.Kind: WireCode { static let words = allWords() }
extension RiderUpdate.Notification.Priority: WireCode { static let words = allWords() }

/// Set of options that is written as a list of words.
protocol WireCodes: OptionSet where RawValue: FixedWidthInteger {
    static var all: [(code: StaticString, value: Self)] { get }
}

extension WireCodes {
    /// Adds the option with this code; ignores unknown codes.
    mutating func insert(code: ByteSlice) {
        for (known, value) in Self.all where code == known {
            // `OptionSet.insert` is generic code that is not specialised across modules.
            self = Self(rawValue: rawValue | value.rawValue)
        }
    }
}

extension Reasons: WireCodes {}
extension Signals: WireCodes {}
extension FareChecks: WireCodes {}
