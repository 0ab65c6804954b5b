import Testing

@testable import Domain
@testable import Evaluation
@testable import Recordings

struct DrivenTrackTests {
    @Test("A gap of 180 s is part of a drive, and a longer gap ends the drive", arguments: [(180.0, 1), (180.1, 2)])
    func gap(seconds: Double, drives: Int) {
        var drive = HandMadeLog()
        drive.drive(seconds: 400)
        drive.wait(seconds: seconds - 1)
        drive.drive(seconds: 400)
        #expect(DrivenTrack.tracks(of: drive.vehicle).count == drives)
    }

    @Test("A halt of over three minutes ends a drive, a shorter halt does not", arguments: [(150.0, 1), (260.0, 2)])
    func standing(seconds: Double, drives: Int) {
        var drive = HandMadeLog()
        drive.drive(seconds: 400)
        drive.halt(seconds: seconds)
        drive.drive(seconds: 400)
        #expect(DrivenTrack.tracks(of: drive.vehicle).count == drives)
    }

    @Test("A long stop does not end a drive with a trip id, and another trip id begins a new drive")
    func tripIDs() {
        var drive = HandMadeLog(tripID: "a")
        drive.drive(seconds: 400)
        drive.halt(seconds: 400)
        drive.drive(seconds: 400)
        #expect(DrivenTrack.tracks(of: drive.vehicle).count == 1)
        drive.tripID = "b"
        drive.drive(seconds: 400)
        #expect(DrivenTrack.tracks(of: drive.vehicle).count == 2)
    }

    @Test("Halts before the start and after the end are not part of a drive")
    func trimming() throws {
        var drive = HandMadeLog(tripID: "a")
        drive.halt(seconds: 600)
        drive.drive(seconds: 400)
        drive.halt(seconds: 600)
        let track = try #require(DrivenTrack.tracks(of: drive.vehicle).first)
        let seconds = try #require(track.points.last).at.seconds(since: track.points[0].at)
        #expect((390...420).contains(seconds))
    }

    @Test("A single jump, a repeated time and (0, 0) are not in the track")
    func cleaning() throws {
        var drive = HandMadeLog()
        drive.drive(seconds: 200)
        drive.add(Coordinate(latitude: 51, longitude: 8), after: 1)
        drive.add(Coordinate(latitude: 0, longitude: 0), after: 1)
        drive.add(drive.place, after: 0)
        drive.drive(seconds: 200)
        let tracks = DrivenTrack.tracks(of: drive.vehicle)
        #expect(tracks.count == 1)
        let points = try #require(tracks.first).points
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.at < $1.at })
        #expect(points.allSatisfy { (49...50).contains($0.coordinate.latitude) })
    }

    @Test("Forged fixes are in no drive")
    func forged() throws {
        var drive = HandMadeLog()
        drive.drive(seconds: 400)
        drive.isSpoofed = true
        drive.drive(seconds: 400)
        let points = DrivenTrack.tracks(of: drive.vehicle).flatMap(\.points)
        #expect((380...410).contains(points.count))
    }

    @Test("Noise does not lengthen the route", arguments: [UInt64(1), 2, 3])
    func routeLength(seed: UInt64) throws {
        var drive = HandMadeLog(jitterMeters: 4, seed: seed)
        drive.drive(seconds: 400)
        let route = try #require(DrivenTrack.tracks(of: drive.vehicle).first).route
        let meters = try #require(RouteLine(points: route)).lengthMeters
        // Up to fifty metres at each end are removed as standing.
        #expect((3880...3990).contains(meters), "seed \(seed): \(meters) m")
    }

    @Test(
        "A drive lasts at least five minutes and one kilometre",
        arguments: [(8.0, 299.0, 0), (8.0, 420.0, 1), (2.0, 420.0, 0), (4.0, 420.0, 1)])
    func shortest(speed: Double, seconds: Double, count: Int) {
        var drive = HandMadeLog(speed: speed)
        drive.drive(seconds: seconds)
        var log = VehicleLog()
        log.vehicles = [drive.vehicle]
        #expect(DrivenTrips(of: log).drives.count == count)
    }
}
