import ArgumentParser
import Domain

/// A place as an argument: `latitude,longitude` in degrees, such as `-33.86,151.2`.
struct CoordinateArgument: ExpressibleByArgument {
    let coordinate: Coordinate

    /// Parses two numbers within ±90 and ±180; `nil` for other text.
    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { part in
            Double(part.drop { $0 == " " })
        }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1], (-90...90).contains(latitude),
            (-180...180).contains(longitude)
        else { return nil }
        coordinate = Coordinate(latitude: latitude, longitude: longitude)
    }

    /// The format, for help texts and errors.
    static let format = "latitude,longitude in degrees, such as 48.14,11.58 or -33.86,151.2"

    /// Adds a space before each argument with a negative latitude, which the parser would read as an option.
    static func protected(_ arguments: [String]) -> [String] {
        arguments.map { argument in
            argument.wholeMatch(of: /-[0-9.]+,[-0-9. ]+/) == nil ? argument : " " + argument
        }
    }
}
