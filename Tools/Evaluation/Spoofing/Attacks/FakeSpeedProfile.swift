import Simulation

/// Speed over time in town: phases of 8 to 25 s with a target speed, one in six of them a stop.
struct FakeSpeedProfile {
    private var speeds: [Double] = []
    private var meters: [Double] = []
    private static let tick = 0.2

    init(from start: Double, seconds: Double, random: inout RandomSource) {
        var speed = start
        var target = start
        var phaseEnds = 0.0
        var distance = 0.0
        for step in 0...Int(seconds / Self.tick) + 20 {
            let time = Double(step) * Self.tick
            if time >= phaseEnds {
                target = random.chance(1.0 / 6) ? 0 : random.uniform(in: 6...17)
                phaseEnds = time + random.uniform(in: 8...25)
            }
            speed += max(-2.2 * Self.tick, min(1.4 * Self.tick, target - speed))
            distance += speed * Self.tick
            speeds.append(speed)
            meters.append(distance)
        }
    }

    func at(_ seconds: Double) -> (speed: Double, meters: Double) {
        let position = max(0, seconds / Self.tick)
        let index = min(speeds.count - 2, Int(position))
        let share = min(1, position - Double(index))
        return (
            speeds[index] + (speeds[index + 1] - speeds[index]) * share,
            meters[index] + (meters[index + 1] - meters[index]) * share
        )
    }
}
