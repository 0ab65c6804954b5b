import Testing

@testable import Domain

@Suite struct SmoothingSettingsTests {
    @Test("the defaults are valid")
    func defaults() {
        #expect(SmoothingSettings().problems().isEmpty)
    }

    @Test("all invalid combinations are reported together")
    func problems() {
        var settings = SmoothingSettings()
        settings.accelerationMetersPerSecondSquared = 0
        settings.minimumManoeuvreSeconds = 5
        settings.unknownNoiseMeters = 200
        settings.smoothDeviceScale = 0.5
        settings.nearRejectsBeforeRestart = 2
        settings.agreeingFixes = 2
        settings.tailDegreesOfFreedomWithoutVelocity = 2
        settings.usualErrorMeters = -1
        settings.maximumSurprise = 1
        settings.haltSpeedMetersPerSecond = 0.76
        settings.highConfidenceMeters = 31
        settings.parkedDriftPerNoise = 1.7
        settings.parkedSeconds = -1
        #expect(settings.problems().count == 13)
    }
}
