import TestSupport
import Testing

@testable import Domain

/// The evidence of a single window of accepted fixes stays below the suspect threshold.
@Suite struct WindowEvidenceTests {
    /// Fixes of one window with as many signals of forgery as possible, after all habits are learned.
    private struct Window {
        let seed: UInt64
        var random: SeededGenerator
        let driver: TestDriver
        /// All signals of the fixes.
        private(set) var signals: Signals = []
        private var second = 120.0
        private var east = 1200.0

        init(seed: UInt64, _ settings: TrackingSettings) {
            self.seed = seed
            random = SeededGenerator(seed: seed)
            driver = TestDriver(settings)
            var driven = 0.0
            for second in 0..<120 {
                let speed = 10 + 2 * random.normal()
                driven += speed
                driver.template.speedMetersPerSecond = speed
                driver.template.accuracyMeters = 5 + Double.random(in: 0...1, using: &random)
                driver.template.altitudeMeters = 20 + random.normal()
                let time = Double(second) + 0.05 * random.normal()
                driver.send(driven, 0.3 * random.normal(), at: time)
            }
            second = 120
            east = driven + 10
            randomizeHabits()
        }

        private mutating func randomizeHabits() {
            driver.state.fields.learnedFixes = 255
            for habit in [\DriverState.Fields.accuracy, \.altitude, \.speed] {
                driver.state.fields[keyPath: habit] = Habit(
                    rate: 255, expectedChanges: UInt8.random(in: 0...255, using: &random))
            }
            driver.state.fields.expectedChanges = UInt8.random(in: 0...255, using: &random)
            driver.state.fields.fieldsRun = UInt8.random(in: 0...255, using: &random)
            driver.state.fields.speedRun = UInt8.random(in: 0...255, using: &random)
            driver.state.rhythm.learnedFixes = 255
            driver.state.rhythm.habit = Habit(rate: 255, expectedChanges: UInt8.random(in: 0...255, using: &random))
            driver.state.steps.learnedFixes = 255
            driver.state.steps.equalHalfSeconds = UInt8.random(in: 0...63, using: &random)
            // Broken habits count three times on devices with long intervals.
            driver.state.steps.intervalSeconds = Bool.random(using: &random) ? 1 : 30
            driver.state.risk = DriverState.Risk()
            driver.state.topSignals = DriverState.TopSignals()
        }

        /// Sends the fixes, and returns the risks of the fixes before the first rejection.
        mutating func risks() -> [Double] {
            let fields = Int.random(in: 0..<3, using: &random)
            let interval = [0.1, 0.5, 1, 2, 4][Int.random(in: 0..<5, using: &random)]
            let speed = Double.random(in: 8...30, using: &random)
            let failsIntegrity = Int.random(in: 0..<4, using: &random) == 0
            let end = second + driver.detector.settings.risk.windowSeconds
            var risks: [Double] = []
            driver.template.integrity = failsIntegrity ? .failed : .unknown
            driver.template.accuracyMeters = 5
            driver.template.altitudeMeters = 30
            driver.template.speedMetersPerSecond = fields == 0 ? speed : 0
            while second < end {
                east += speed * interval
                if fields == 2 { driver.template.speedMetersPerSecond = Double.random(in: 0...40, using: &random) }
                let result = driver.send(east, 0, at: second)
                guard result.verdict == .accepted else { break }
                risks.append(result.risk)
                signals.formUnion(result.signals)
                second += interval
            }
            return risks
        }
    }

    @Test(
        "no single window of accepted fixes makes a suspect, even if many rules add evidence",
        arguments: [false, true])
    func acceptedFixes(weighsMost: Bool) {
        var settings = TrackingSettings.unlimited
        if weighsMost {
            settings.rules.deviceIntegrity.weight = settings.risk.maximumSignal
            settings.rules.overdueFields.weight = settings.risk.maximumSignal
            settings.rules.overdueSpeed.weight = settings.risk.maximumSignal
            settings.rules.overdueSpeed.aloneWeight = settings.risk.maximumSignal
            settings.rules.frozenFields.weight = settings.risk.maximumSignal
            settings.rules.frozenFields.speedWeight = settings.risk.maximumSignal
            settings.rules.overdueHeading.weight = settings.risk.maximumSignal
            settings.rules.rhythm.weight = settings.risk.maximumSignal
            settings.rules.unsteadiness.weight = settings.risk.maximumSignal
            settings.rules.drift.weight = settings.risk.maximumSignal
        }
        var signals: Signals = []
        var highest = 0.0
        for seed in UInt64(0)..<400 {
            var window = Window(seed: seed, settings)
            let risk = window.risks().max() ?? 0
            #expect(risk < settings.risk.suspectRisk, "seed \(seed)")
            highest = max(highest, risk)
            signals.formUnion(window.signals)
        }
        // Checks that the windows come close to the threshold.
        #expect(highest > 0.65)
        for (code, signal) in Signals.all {
            let isExpected = [
                Signals.equalSteps, .speedContradiction, .rhythm, .frozenFields, .frozenSpeed, .overdueFields,
                .overdueSpeed,
            ].contains(signal)
            if isExpected { #expect(signals.contains(signal), "\(code)") }
        }
    }

    @Test(
        "repeated evidence counts per second, at any number of fixes per second",
        arguments: [(0.1, 2.95...3.05), (0.5, 2.95...3.05), (1, 2.95...3.05)])
    func perSecond(interval: Double, evidence: ClosedRange<Double>) {
        let driver = TestDriver()
        driver.drive(for: 20)
        driver.template.integrity = .failed
        for index in 1...Int((1 / interval).rounded()) {
            let seconds = 19 + Double(index) * interval
            driver.send(seconds * 10, at: seconds)
        }
        #expect(evidence.contains(Double(driver.state.risk.evidence)))
    }

    @Test(
        "a window adds up to 4.8 of evidence, and the next window adds it again",
        arguments: [(9.9, 4.8), (10, 9.6), (10.1, 9.6)])
    func length(seconds: Double, evidence: Float) {
        let settings = TrackingSettings.Risk()
        var risk = DriverState.Risk()
        let start = TestDriver.start
        for _ in 0..<5 { _ = risk.addWithinWindow(3, of: start, at: start, settings) }
        #expect(risk.evidence == 4.8)
        let later = start.advanced(bySeconds: seconds)
        for _ in 0..<5 { _ = risk.addWithinWindow(3, of: later, at: start, settings) }
        #expect(risk.evidence == evidence)
    }

    @Test("a driver who repeats a track is not a suspect before a fix is rejected")
    func replay() {
        let driver = TestDriver()
        var random = SeededGenerator(seed: 61)
        let track = (0..<60).map { (Double($0) * 14, 6 * random.normal()) }
        for (second, place) in track.enumerated() { driver.send(place.0, place.1, at: Double(second)) }
        let again = TestDriver()
        again.tracks = driver.tracks
        var wasRejected = false
        for (second, place) in track.enumerated() {
            let result = again.send(place.0, place.1, at: 1000 + Double(second))
            wasRejected = wasRejected || result.verdict == .rejected
            if !wasRejected { #expect(result.risk < 0.7) }
        }
        #expect(wasRejected)
    }

    @Test(
        "a data logger with rounded coordinates at a steady speed has no equal steps and little risk",
        arguments: [6e5, 1e6, 1e5])
    func logger(stepsPerDegree: Double) {
        let driver = TestDriver()
        var random = SeededGenerator(seed: 71)
        var east = 0.0
        for second in 0..<900 {
            // The vehicle drives three minutes in town, then accelerates to a steady speed.
            let isSteady = second > 220
            let speed = second > 180 ? min(25, 10 + Double(second - 180) / 2) : 10 + 2 * random.normal()
            east += speed
            driver.template.speedMetersPerSecond = speed + 0.1 * random.normal()
            driver.template.accuracyMeters = 5 + Double.random(in: 0...1, using: &random)
            driver.template.altitudeMeters = 20 + random.normal()
            var fix = driver.fix(east, isSteady ? 0 : 0.5 * random.normal(), at: Double(second))
            fix.coordinate = Coordinate(
                latitude: (fix.coordinate.latitude * stepsPerDegree).rounded() / stepsPerDegree,
                longitude: (fix.coordinate.longitude * stepsPerDegree).rounded() / stepsPerDegree)
            let result = driver.evaluate(fix)
            #expect(!result.signals.contains(.equalSteps) && result.risk < 0.2, "second \(second)")
        }
    }
}
