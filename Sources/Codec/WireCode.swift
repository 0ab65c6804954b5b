import CSimdJSON
import Domain
import Support

/// An enumeration whose cases are written as words.
protocol WireCode: RawRepresentable<UInt8> {
    /// The words in the order of the raw values, which count from 0.
    static var codes: [StaticString] { get }
    var code: StaticString { get }
}

extension WireCode {
    @inline(__always) init?(_ text: ByteSlice?) {
        guard let text, let start = text.start else { return nil }
        let codes = Self.codes
        for index in codes.indices {
            let code = codes[index]
            guard code.utf8CodeUnitCount == text.count, sl_same_bytes(code.utf8Start, start, text.count) else {
                continue
            }
            self.init(rawValue: UInt8(truncatingIfNeeded: index))
            return
        }
        return nil
    }
}

extension Verdict: WireCode {}
extension Confidence: WireCode {}
extension LocationWarning.Action: WireCode {}
extension TripState: WireCode {}
extension TripStage: WireCode {}
extension Fix.Source: WireCode {}
extension Fix.Integrity: WireCode {}
extension TripMessage.Kind: WireCode {}
extension TripMessage.Stop.Kind: WireCode {}
extension TripEta.StopStatus: WireCode {}
extension TripEta.Delay: WireCode {}
extension TripEta.Traffic: WireCode {}
extension TripWarning.Code: WireCode {}
extension TripWarning.Ending: WireCode {}
extension RiderUpdate.VehiclePosition.Occupancy: WireCode {}
extension RiderUpdate.Notification.Kind: WireCode {}
extension RiderUpdate.Notification.Priority: WireCode {}

/// A set of options that is written as a list of words.
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
