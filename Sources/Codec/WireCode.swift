import CSimdJSON
import Domain
import Support

/// An enumeration that is written as a word; its raw values count from 0.
protocol WireCode: RawRepresentable where RawValue == UInt8 {
    var code: StaticString { get }
}

extension WireCode {
    @inline(__always) init?(_ text: ByteSlice?) {
        guard let text, let start = text.start else { return nil }
        var number: UInt8 = 0
        while let value = Self(rawValue: number) {
            let code = value.code
            if code.utf8CodeUnitCount == text.count, sl_same_bytes(code.utf8Start, start, text.count) {
                self = value
                return
            }
            number += 1
        }
        return nil
    }
}

extension Verdict: WireCode {}
extension Confidence: WireCode {}
extension LocationWarning.Action: WireCode {}
extension TripState: WireCode {}
extension TripStage: WireCode {}

extension Fix.Source: WireCode {
    package var code: StaticString {
        switch self {
        case .unknown: "unknown"
        case .gps: "gps"
        case .wifi: "wifi"
        case .cellular: "cellular"
        case .fused: "fused"
        case .cached: "cached"
        }
    }
}

extension Fix.Integrity: WireCode {
    package var code: StaticString {
        switch self {
        case .unknown: "UNKNOWN"
        case .passed: "PASSED"
        case .failed: "FAILED"
        }
    }
}

extension TripMessage.Kind: WireCode {
    var code: StaticString { self == .ride ? "ride" : "transit" }
}

extension TripMessage.Stop.Kind: WireCode {
    var code: StaticString {
        switch self {
        case .pickup: "PICKUP"
        case .dropoff: "DROPOFF"
        case .stop: "STOP"
        }
    }
}

extension TripEta.StopStatus: WireCode {
    var code: StaticString {
        switch self {
        case .valid: "VALID"
        case .passed: "PASSED"
        case .unavailable: "UNAVAILABLE"
        }
    }
}

extension TripEta.Delay: WireCode {
    package var code: StaticString {
        switch self {
        case .unknown: "UNKNOWN"
        case .early: "EARLY"
        case .onTime: "ON_TIME"
        case .delayed: "DELAYED"
        }
    }
}

extension TripEta.Traffic: WireCode {
    var code: StaticString {
        switch self {
        case .unknown: "UNKNOWN"
        case .light: "LIGHT"
        case .moderate: "MODERATE"
        case .heavy: "HEAVY"
        case .severe: "SEVERE"
        }
    }
}

extension RiderUpdate.VehiclePosition.Occupancy: WireCode {
    var code: StaticString {
        switch self {
        case .unknown: "UNKNOWN"
        case .manySeats: "MANY_SEATS"
        case .fewSeats: "FEW_SEATS"
        case .standing: "STANDING"
        case .full: "FULL"
        }
    }
}

extension RiderUpdate.Notification.Kind: WireCode {
    var code: StaticString {
        switch self {
        case .driverAccepted: "DRIVER_ACCEPTED"
        case .driverArrived: "DRIVER_ARRIVED"
        case .tripStarted: "TRIP_STARTED"
        case .tripCompleted: "TRIP_COMPLETED"
        case .tripCancelled: "TRIP_CANCELLED"
        case .etaMoved: "ETA_MOVED"
        }
    }
}

extension RiderUpdate.Notification.Priority: WireCode {
    var code: StaticString { self == .normal ? "NORMAL" : "HIGH" }
}

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
