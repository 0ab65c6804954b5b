import CSimdJSON
import Domain
import Support

extension VerdictRecord: WireRecord {
    /// Upper bound for the bytes of names, punctuation and numbers; the bytes of texts are added.
    static let fixedByteCount = 2176

    mutating func code<Coder: RecordCoder>(event: inout EventID, with coder: inout Coder) throws {
        try coder.event(&event)
        try coder.text(SL_KEY_DRIVER_ID, &driverID)
        try coder.text(SL_KEY_SESSION_ID, &sessionID)
        try coder.integer(SL_KEY_SEQUENCE, &sequence)
        try coder.text(SL_KEY_TRIP_ID, &tripID)
        try coder.code(SL_KEY_VERDICT, &verdict)
        try coder.codes(SL_KEY_REASONS, &reasons, isOptional: false)
        try coder.number(SL_KEY_RISK, &risk, .thousandths, in: 0...1)
        try coder.codes(SL_KEY_RISK_SIGNALS, &riskSignals, isOptional: true)
        try codeEstimate(with: &coder)
        try coder.open(SL_KEY_RAW)
        try raw.code(report: &report, with: &coder)
        try coder.close()
        try coder.time(SL_KEY_DEVICE_AT, &deviceAt)
        try coder.time(SL_KEY_FIXED_AT, &fixedAt)
        try coder.time(SL_KEY_RECEIVED_AT, &receivedAt)
        try coder.integer(SL_KEY_BATTERY_PERCENT, &batteryPercent, in: 0...10_000)
        try coder.integer(SL_KEY_OCCUPANCY_PERCENT, &occupancyPercent, in: 0...10_000)
        try report.codeCircumstances(with: &coder)
        try coder.rareFlag(SL_KEY_IS_FOLLOWED, &hasLaterFix)
    }

    /// Writes or reads the estimate, whose members are members of the record itself.
    @inline(__always) private mutating func codeEstimate<Coder: RecordCoder>(with coder: inout Coder) throws {
        guard coder.contains(SL_KEY_LATITUDE, estimate != nil) else {
            if Coder.isReading { estimate = nil }
            return
        }
        var estimate = estimate ?? .blank
        try coder.coordinate(&estimate.coordinate)
        try coder.number(SL_KEY_HEADING, &estimate.headingDegrees, .heading, in: 0...(360.0.nextDown))
        try coder.number(SL_KEY_SPEED_MPS, &estimate.speedMetersPerSecond, .hundredths, in: 0...1e15)
        try coder.number(SL_KEY_ACCURACY_METERS, &estimate.accuracyMeters, .hundredths, in: 0...1e15)
        try coder.code(SL_KEY_CONFIDENCE, &estimate.confidence)
        try coder.bool(SL_KEY_IS_HALTED, &estimate.isHalted)
        if Coder.isReading { self.estimate = estimate }
    }
}

extension VerdictRecord.Raw {
    @inline(__always) fileprivate mutating func code<Coder: RecordCoder>(
        report: inout DeviceReport, with coder: inout Coder
    ) throws {
        try coder.coordinate(&coordinate)
        try coder.number(SL_KEY_ACCURACY_METERS, &accuracyMeters, .hundredths)
        try coder.number(SL_KEY_HEADING, &headingDegrees, .heading)
        try coder.number(SL_KEY_SPEED_MPS, &speedMetersPerSecond, .hundredths)
        try coder.number(SL_KEY_ALTITUDE_METERS, &altitudeMeters, .hundredths)
        try coder.bool(SL_KEY_IS_MOCK, &report.isMock)
        try coder.word(SL_KEY_INTEGRITY, &integrity)
        try coder.word(SL_KEY_SOURCE, &source)
        try report.codeAccuracies(with: &coder)
    }
}

extension DeviceReport {
    /// Writes or reads the accuracies, which are the last members of `raw` because few records have them.
    @inline(__always) fileprivate mutating func codeAccuracies<Coder: RecordCoder>(with coder: inout Coder) throws {
        try coder.number(SL_KEY_ALTITUDE_ACCURACY_METERS, &altitudeAccuracyMeters, .hundredths)
        try coder.number(SL_KEY_HEADING_ACCURACY_DEGREES, &headingAccuracyDegrees, .hundredths)
        try coder.number(SL_KEY_SPEED_ACCURACY_MPS, &speedAccuracyMetersPerSecond, .hundredths)
    }

    @inline(__always) fileprivate mutating func codeCircumstances<Coder: RecordCoder>(with coder: inout Coder) throws {
        try coder.bool(SL_KEY_IS_CHARGING, &isCharging)
        try coder.word(SL_KEY_NETWORK_TYPE, &networkType)
        try coder.word(SL_KEY_MOTION_ACTIVITY, &motionActivity)
    }
}

extension RecordCoder {
    /// Writes or reads an optional word; readers ignore unknown ones.
    @inline(__always) fileprivate mutating func word<Code: WireCode>(_ key: sl_key, _ value: inout Code?) throws {
        var word = value.map { ByteSlice($0.code) } ?? .empty
        try text(key, &word)
        if Self.isReading { value = Code(word) }
    }

    @inline(__always) fileprivate mutating func bool(_ key: sl_key, _ value: inout Bool?) throws {
        guard contains(key, value != nil) else {
            if Self.isReading { value = nil }
            return
        }
        var known = value ?? false
        try bool(key, &known)
        if Self.isReading { value = known }
    }
}
