import CSimdJSON
import Domain
import Support

/// An enumeration whose cases are written as words.
protocol WireCode: CaseIterable {
    var code: StaticString { get }
    /// All cases, allocated once; the synthesized `allCases` allocates an array at each use.
    static var every: [Self] { get }
}

extension WireCode {
    @inline(__always) init?(_ text: ByteSlice?) {
        guard let text, let start = text.start else { return nil }
        for value in Self.every {
            let code = value.code
            guard code.utf8CodeUnitCount == text.count, sl_same_bytes(code.utf8Start, start, text.count) else {
                continue
            }
            self = value
            return
        }
        return nil
    }
}

extension Verdict: WireCode { static let every = Array(allCases) }
extension Confidence: WireCode { static let every = Array(allCases) }
extension LocationWarning.Action: WireCode { static let every = Array(allCases) }
extension TripState: WireCode { static let every = Array(allCases) }
extension TripStage: WireCode { static let every = Array(allCases) }

extension Fix.Source: WireCode {
    static let every = Array(allCases)
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
    static let every = Array(allCases)
    package var code: StaticString {
        switch self {
        case .unknown: "UNKNOWN"
        case .passed: "PASSED"
        case .failed: "FAILED"
        }
    }
}

extension TripMessage.Kind: WireCode {
    static let every = Array(allCases)
    var code: StaticString { self == .ride ? "ride" : "transit" }
}

extension TripMessage.Stop.Kind: WireCode {
    static let every = Array(allCases)
    var code: StaticString {
        switch self {
        case .pickup: "PICKUP"
        case .dropoff: "DROPOFF"
        case .stop: "STOP"
        }
    }
}

extension TripEta.StopStatus: WireCode {
    static let every = Array(allCases)
    var code: StaticString {
        switch self {
        case .valid: "VALID"
        case .passed: "PASSED"
        case .unavailable: "UNAVAILABLE"
        }
    }
}

extension TripEta.Delay: WireCode {
    static let every = Array(allCases)
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
    static let every = Array(allCases)
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
    static let every = Array(allCases)
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
    static let every = Array(allCases)
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
    static let every = Array(allCases)
    var code: StaticString { self == .normal ? "NORMAL" : "HIGH" }
}

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
