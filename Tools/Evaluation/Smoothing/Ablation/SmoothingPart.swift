import Domain

/// A number of the smoothing, and the value with which the smoothing does without it.
package struct SmoothingPart: Sendable {
    /// The setting, with the value that does without it.
    package let name: String
    let leaveOut: @Sendable (inout SmoothingSettings) -> Void

    init(_ name: String, _ leaveOut: @escaping @Sendable (inout SmoothingSettings) -> Void) {
        self.name = name
        self.leaveOut = leaveOut
    }

    /// All but what decides on outliers and restarts.
    package static let all = motion + noise + velocity + outliers + halts + accuracy

    /// More than anything reaches.
    private static let endless = 1e9

    private static let motion: [SmoothingPart] = [
        SmoothingPart("minimumManoeuvreSeconds=0") { $0.minimumManoeuvreSeconds = 0.001 },
        SmoothingPart("maximumManoeuvreSeconds=min") { $0.maximumManoeuvreSeconds = $0.minimumManoeuvreSeconds },
        SmoothingPart("maximumManoeuvreSeconds=max") { $0.maximumManoeuvreSeconds = endless },
        SmoothingPart("positionWanderSquareMetersPerSecond=0") { $0.positionWanderSquareMetersPerSecond = 0 },
        SmoothingPart("restartAfterSeconds=max") { $0.restartAfterSeconds = endless },
        SmoothingPart("brakingSpeedShare=0") { $0.brakingSpeedShare = 0 },
    ]

    private static let noise: [SmoothingPart] = [
        SmoothingPart("minimumNoiseMeters=0") { $0.minimumNoiseMeters = 0.1 },
        SmoothingPart("unknownNoiseMeters=minimum") { $0.unknownNoiseMeters = $0.minimumNoiseMeters },
        SmoothingPart("learnedNoiseMeters=any") { $0.learnedNoiseMeters = 0.001...endless },
        SmoothingPart("smoothDeviceScale=0") { $0.smoothDeviceScale = 1e-6 },
        SmoothingPart("slowNoiseScale=1") { $0.slowNoiseScale = 1 },
        SmoothingPart("maximumNoiseScale=max") { $0.maximumNoiseScale = endless },
        SmoothingPart("noiseAdaptationRate=0") { $0.noiseAdaptationRate = 0 },
        SmoothingPart("maximumSurprise=max") { $0.maximumSurprise = endless },
        SmoothingPart("maximumSurpriseWithoutVelocity=with") {
            $0.maximumSurpriseWithoutVelocity = $0.maximumSurprise
        },
        SmoothingPart("independenceSeconds=0") { $0.independenceSeconds = 0 },
    ]

    private static let velocity: [SmoothingPart] = [
        SmoothingPart("velocityNoiseAdaptationRate=0") { $0.velocityNoiseAdaptationRate = 0 },
        SmoothingPart("velocityNoiseAdaptationRate=position") {
            $0.velocityNoiseAdaptationRate = $0.noiseAdaptationRate
        },
        SmoothingPart("velocityNoiseCoupling=0") { $0.velocityNoiseCoupling = 0 },
        SmoothingPart("velocityNoiseCoupling=1") { $0.velocityNoiseCoupling = 1 },
        SmoothingPart("headingNoiseDegrees=0") { $0.headingNoiseDegrees = 0.01 },
        SmoothingPart("unsureDirection=max") { $0.unsureDirection = endless },
    ]

    private static let outliers: [SmoothingPart] = [
        SmoothingPart("tailDegreesOfFreedom=max") { $0.tailDegreesOfFreedom = endless },
        SmoothingPart("tailDegreesOfFreedomWithoutVelocity=with") {
            $0.tailDegreesOfFreedomWithoutVelocity = $0.tailDegreesOfFreedom
        },
        SmoothingPart("tailDegreesOfFreedomWithoutVelocity=max") { $0.tailDegreesOfFreedomWithoutVelocity = endless },
        SmoothingPart("longStepSeconds=max") { $0.longStepSeconds = endless },
        SmoothingPart("usualErrorMeters=0") { $0.usualErrorMeters = 0 },
    ]

    private static let halts: [SmoothingPart] = [
        SmoothingPart("haltFixes=1") { $0.haltFixes = 1 },
        SmoothingPart("haltFixes=200 (no halts with speed)") { $0.haltFixes = 200 },
        SmoothingPart("haltRadiusMeters=0") { $0.haltRadiusMeters = 0.1 },
        SmoothingPart("departureMetersPerSecond=0") { $0.departureMetersPerSecond = 0 },
        SmoothingPart("parkedDriftPerNoise=drift") { $0.parkedDriftPerNoise = $0.driftPerNoise },
        SmoothingPart("driftPerNoise=parked") { $0.driftPerNoise = $0.parkedDriftPerNoise },
        SmoothingPart("refutationsBeforeDistrust=200") { $0.refutationsBeforeDistrust = 200 },
        SmoothingPart("haltWithoutSpeedSeconds=0") { $0.haltWithoutSpeedSeconds = 0 },
        SmoothingPart("haltWithoutSpeedFixes=1") { $0.haltWithoutSpeedFixes = 1 },
        SmoothingPart("haltWithoutSpeedFixes=200 (no halts without)") { $0.haltWithoutSpeedFixes = 200 },
    ]

    private static let accuracy: [SmoothingPart] = [
        SmoothingPart("leastSlowShareOfStatedNoise=0") { $0.leastSlowShareOfStatedNoise = 0 },
        SmoothingPart("slowShareOfHiddenNoise=0") { $0.slowShareOfHiddenNoise = 0 },
        SmoothingPart("slowShareOfExcessNoise=0") { $0.slowShareOfExcessNoise = 0 },
        SmoothingPart("slowShareOfLearnedNoise=0") { $0.slowShareOfLearnedNoise = 0 },
        SmoothingPart("slowShareOfLearnedNoise=without velocity") {
            $0.slowShareOfLearnedNoise = $0.slowShareWithoutVelocity
        },
        SmoothingPart("slowShareWithoutVelocity=learned") { $0.slowShareWithoutVelocity = $0.slowShareOfLearnedNoise },
        SmoothingPart("leastSlowErrorMeters=0") { $0.leastSlowErrorMeters = 0 },
        SmoothingPart("lastingErrorFactor=0") { $0.lastingErrorFactor = 0 },
    ]
}
