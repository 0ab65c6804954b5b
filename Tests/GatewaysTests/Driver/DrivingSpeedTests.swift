import Testing

@testable import Gateways

@Suite("Speed classes")
struct DrivingSpeedTests {
    @Test(
        "the class is slow up to 20 km/h, medium up to 50 km/h or without a speed, and fast above",
        arguments: [
            (0, DrivingSpeed.slow), (10.8, .slow), (20, .slow), (20.01, .medium), (28.8, .medium), (50, .medium),
            (50.01, .fast), (57.6, .fast), (130, .fast),
        ])
    func steps(kilometersPerHour: Double, drivingSpeed: DrivingSpeed) {
        #expect(DrivingSpeed(kilometersPerHour / 3.6) == drivingSpeed)
        #expect(DrivingSpeed(nil) == .medium)
    }

    @Test(
        "the class rises above a limit and falls when the speed is 5 km/h below the limit",
        arguments: [
            (DrivingSpeed.slow, 20.01, DrivingSpeed.medium), (.slow, 50.01, .fast), (.medium, 50.01, .fast),
            (.fast, 49.9, .fast), (.fast, 45.01, .fast), (.fast, 44.99, .medium), (.fast, 15.01, .medium),
            (.fast, 14.99, .slow), (.medium, 19.9, .medium), (.medium, 15.01, .medium), (.medium, 14.99, .slow),
        ])
    func hysteresis(before: DrivingSpeed, kilometersPerHour: Double, after: DrivingSpeed) {
        #expect(before.next(kilometersPerHour / 3.6) == after)
    }
}
