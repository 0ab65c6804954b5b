import ArgumentParser
import Testing

@testable import Domain
@testable import SightlineCLI
@testable import Support

@Suite("Coordinates on the command line")
struct CoordinateArgumentTests {
    @Test(
        "coordinates in all hemispheres are parsed, also with spaces",
        arguments: [
            ("48.14,11.58", 48.14, 11.58), ("-33.86,151.2", -33.86, 151.2), (" -33.86,151.2", -33.86, 151.2),
            ("-33.86, -70.6", -33.86, -70.6), ("90,180", 90, 180), ("-90,-180", -90, -180), ("0,0", 0, 0),
        ])
    func read(text: String, latitude: Double, longitude: Double) {
        #expect(
            CoordinateArgument(argument: text)?.coordinate == Coordinate(latitude: latitude, longitude: longitude))
    }

    @Test(
        "incomplete, malformed and out-of-range coordinates are not parsed",
        arguments: ["", "48.14", "48.14;11.58", "90.1,0", "0,180.1", "1,2,3", "a,b", "48.14,", "nan,1"])
    func malformed(text: String) {
        #expect(CoordinateArgument(argument: text) == nil)
    }

    @Test("--center accepts coordinates in the south and west")
    func center() throws {
        for text in ["-33.86,151.2", "-33.45,-70.66", "40.7,-74"] {
            _ = try Simulate.parse(["--center", text])
            let options = try FleetOptions.parse(["--center", text])
            let center = try options.configuration(start: Timestamp(milliseconds: 0)).center
            #expect(center == CoordinateArgument(argument: text)?.coordinate)
        }
        #expect(throws: (any Error).self) { try FleetOptions.parse(["--center", "-33.86"]) }
    }

    @Test("a negative latitude is not parsed as an option")
    func southern() throws {
        let arguments = CoordinateArgument.protected(["-33.86,151.2", "--radius", "100", "-h", "--count", "5"])
        #expect(arguments == [" -33.86,151.2", "--radius", "100", "-h", "--count", "5"])
        let command = try NearestCommand.parse(CoordinateArgument.protected(["-33.86,-151.2", "--radius", "100"]))
        #expect(command.place.coordinate == Coordinate(latitude: -33.86, longitude: -151.2))
    }
}
