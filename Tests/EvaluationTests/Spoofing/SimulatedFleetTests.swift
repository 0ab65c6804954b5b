import Testing

@testable import Domain
@testable import Evaluation

struct SimulatedFleetTests {
    private static let drives: [ReceivedTrace] = {
        var fleet = SimulatedFleet(seed: 5)
        return (0..<12).map { fleet.drive($0) }
    }()

    @Test("the same seed gives the same drive, whatever was driven before")
    func seeds() {
        var fleet = SimulatedFleet(seed: 5)
        #expect(fleet.drive(3).fixes.map(\.coordinate) == Self.drives[3].fixes.map(\.coordinate))
        var other = SimulatedFleet(seed: 6)
        #expect(other.drive(3).fixes.map(\.coordinate) != Self.drives[3].fixes.map(\.coordinate))
    }

    @Test("drives are honest, an hour long, and move")
    func honest() {
        for drive in Self.drives {
            #expect(!drive.holdsAttack)
            let last = drive.takenAt(drive.fixes.count - 1)
            #expect(last.seconds(since: drive.takenAt(0)) > 3000)
            #expect(AttackHost(drive) != nil)
        }
    }

    @Test("tunnels last 20 to 180 s without fixes, and are known where they end")
    func tunnels() {
        var found = 0
        for drive in Self.drives {
            for mishap in drive.mishaps.dropFirst() {
                guard
                    let next = drive.fixes.indices.first(where: {
                        drive.takenAt($0) >= mishap.advanced(bySeconds: -0.6)
                    }),
                    next > 0
                else { continue }
                let silence = drive.takenAt(next).seconds(since: drive.takenAt(next - 1))
                #expect(silence >= 18)
                #expect(silence <= 210)
                found += 1
            }
        }
        #expect(found > 10)
    }

    @Test("what was stored comes at once, as a batch and in order; sequences never go back")
    func uploads() {
        #expect(Self.drives.contains { $0.fixes.contains(where: \.isBatched) })
        for drive in Self.drives {
            let stored = drive.fixes.indices.filter { drive.fixes[$0].isBatched }
            #expect(Set(stored.map { drive.receivedAt[$0] }).count <= 1)
            #expect(zip(drive.receivedAt, drive.receivedAt.dropFirst()).allSatisfy { $0 <= $1 })
            let numbers = drive.fixes.compactMap(\.sequence)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test("one fix in two thousand is a glitch, and phones differ in what they send")
    func phones() {
        let fixes = Self.drives.reduce(0) { $0 + $1.fixes.count }
        let glitches = Self.drives.reduce(0) { $0 + $1.glitches.count }
        #expect((1...3 * fixes / 2000 + 5).contains(glitches))
        let coarse = Self.drives.filter { Set($0.fixes.compactMap(\.accuracyMeters)).count <= 60 }
        #expect(!coarse.isEmpty && coarse.count < Self.drives.count)
    }

    @Test("vehicles that drive straight on swerve as little as recorded ones: white noise of 0.03 to 0.6 m explains it")
    func steadiness() {
        var tested = 0
        for drive in Self.drives {
            let plane = TangentPlane(origin: drive.fixes[0].coordinate)
            let points = drive.fixes.map { plane.point(of: $0.coordinate) }
            var sizes: [Double] = []
            for last in 4..<points.count {
                let seconds = drive.takenAt(last).seconds(since: drive.takenAt(last - 4))
                let way = points[last].distanceMeters(to: points[last - 4])
                guard seconds < 5, way > 20 else { continue }
                // Across the way made.
                let east = points[last].east - points[last - 4].east
                let north = points[last].north - points[last - 4].north
                let across = points[(last - 4)...last].map { ($0.north * east - $0.east * north) / way }
                sizes.append(abs(across[0] - 4 * across[1] + 6 * across[2] - 4 * across[3] + across[4]))
            }
            guard sizes.count > 200 else { continue }
            tested += 1
            sizes.sort()
            #expect((0.02...0.6).contains(1.4826 * sizes[sizes.count / 2] / 70.squareRoot()), "\(drive.name)")
        }
        #expect(tested > 3)
    }
}
