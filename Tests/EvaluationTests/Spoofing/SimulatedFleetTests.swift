import Testing

@testable import Domain
@testable import Evaluation

struct SimulatedFleetTests {
    private static let drives: [ReceivedTrace] = {
        var fleet = SimulatedFleet(seed: 5)
        return (0..<12).map { fleet.drive($0) }
    }()

    @Test("the same seed gives the same drive, independent of earlier drives")
    func seeds() {
        var fleet = SimulatedFleet(seed: 5)
        #expect(fleet.drive(3).fixes.map(\.coordinate) == Self.drives[3].fixes.map(\.coordinate))
        var other = SimulatedFleet(seed: 6)
        #expect(other.drive(3).fixes.map(\.coordinate) != Self.drives[3].fixes.map(\.coordinate))
    }

    @Test("drives are honest, over 50 minutes long, and suitable for attacks")
    func honest() {
        for drive in Self.drives {
            #expect(!drive.hasForgedFixes)
            let last = drive.measuredAt(drive.fixes.count - 1)
            #expect(last.seconds(since: drive.measuredAt(0)) > 3000)
            #expect(AttackHost(drive) != nil)
        }
    }

    @Test("tunnels leave gaps of about 20 to 180 s")
    func tunnels() {
        let gaps = Self.drives.flatMap { drive in
            drive.fixes.indices.dropFirst().map { drive.measuredAt($0).seconds(since: drive.measuredAt($0 - 1)) }
        }
        // Without tunnels, hardly any gap is longer than 18 s.
        #expect(gaps.count { $0 >= 18 } > 10)
        #expect(gaps.allSatisfy { $0 <= 210 })
    }

    @Test("stored fixes arrive as one batch in order, and sequences increase")
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

    @Test("glitches occur, at most about 3 per 2,000 fixes, and some phones send at most 60 different accuracies")
    func phones() {
        let fixes = Self.drives.reduce(0) { $0 + $1.fixes.count }
        let glitches = Self.drives.reduce(0) { $0 + Self.glitches(in: $1) }
        #expect((1...3 * fixes / 2000 + 5).contains(glitches))
        let coarse = Self.drives.filter { Set($0.fixes.compactMap(\.accuracyMeters)).count <= 60 }
        #expect(!coarse.isEmpty && coarse.count < Self.drives.count)
    }

    /// Counts fixes over 500 m from both neighbours, which are at most ten seconds away.
    private static func glitches(in drive: ReceivedTrace) -> Int {
        drive.fixes.indices.dropFirst().dropLast().count { index in
            [index - 1, index + 1].allSatisfy { other in
                abs(drive.measuredAt(index).seconds(since: drive.measuredAt(other))) <= 10
                    && Geodesy.distanceMeters(from: drive.fixes[index].coordinate, to: drive.fixes[other].coordinate)
                        > 500
            }
        }
    }

    @Test("lateral noise of straight drives is 0.02 to 0.6 m, as in recordings of phones")
    func steadiness() {
        var tested = 0
        for drive in Self.drives {
            let plane = TangentPlane(origin: drive.fixes[0].coordinate)
            let points = drive.fixes.map { plane.point(of: $0.coordinate) }
            var sizes: [Double] = []
            for last in 4..<points.count {
                let seconds = drive.measuredAt(last).seconds(since: drive.measuredAt(last - 4))
                let meters = points[last].distanceMeters(to: points[last - 4])
                guard seconds < 5, meters > 20 else { continue }
                // Positions across the direction of travel.
                let east = points[last].east - points[last - 4].east
                let north = points[last].north - points[last - 4].north
                let across = points[(last - 4)...last].map { ($0.north * east - $0.east * north) / meters }
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
