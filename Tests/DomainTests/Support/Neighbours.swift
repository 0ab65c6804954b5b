@testable import Domain

/// Several drivers of one partition who share its disturbance memory.
final class Neighbours {
    private(set) var drivers: [TestDriver]
    var memory: DisturbanceMemory

    /// Creates `count` drivers in a row, `apart` metres from one another, who stay for 20 s with one fix per second.
    init(_ count: Int, apart: Double = 100, settings: TrackingSettings = .unlimited) {
        memory = DisturbanceMemory(settings: settings)
        let origin = TestDriver(settings).plane
        drivers = (0..<count).map { index in
            let driver = TestDriver(settings)
            let place = TangentPlane.Point(east: Double(index) * apart, north: 0)
            driver.plane = TangentPlane(origin: origin.coordinate(of: place))
            return driver
        }
        for second in 0..<20 { for index in drivers.indices { stay(index, at: Double(second)) } }
    }

    /// Sends a fix of driver `index`, in metres east and north of its origin.
    @discardableResult
    func send(_ index: Int, _ east: Double, _ north: Double = 0, at seconds: Double) -> VerdictResult {
        evaluate(index, drivers[index].fix(east, north, at: seconds))
    }

    @discardableResult
    func evaluate(_ index: Int, _ fix: Fix) -> VerdictResult {
        let driver = drivers[index]
        let receivedAt = fix.deviceAt ?? TestDriver.start
        return driver.detector.evaluate(
            fix, receivedAt: receivedAt, streamTime: receivedAt, driver: index, state: &driver.state,
            tracks: &driver.tracks, disturbances: &memory)
    }

    /// Sends a fix within a metre of the driver's origin.
    @discardableResult
    func stay(_ index: Int, at seconds: Double) -> VerdictResult {
        send(index, 0.1 * seconds.truncatingRemainder(dividingBy: 7), at: seconds)
    }

    /// Sends a fix a second within a metre of each driver's origin, except for silent drivers.
    func stayAll(from start: Int, to end: Int, except silent: Set<Int> = []) {
        guard start < end else { return }
        for second in start..<end {
            for index in drivers.indices where !silent.contains(index) { stay(index, at: Double(second)) }
        }
    }
}
