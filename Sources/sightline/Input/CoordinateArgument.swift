import ArgumentParser
import Model

/// A place on the command line: `latitude,longitude` in degrees, such as `-33.86,151.2`.
struct CoordinateArgument: ExpressibleByArgument {
    let coordinate: Coordinate

    /// `nil` for anything but two numbers within ±90 and ±180.
    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { part in
            Double(part.drop { $0 == " " })
        }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1], (-90...90).contains(latitude),
            (-180...180).contains(longitude)
        else { return nil }
        coordinate = Coordinate(latitude: latitude, longitude: longitude)
    }

    /// What an error says of the form.
    static let form = "latitude,longitude in degrees, such as 48.14,11.58 or -33.86,151.2"

    /// The arguments, with a space before each place in the south: the parser would take the minus for an option's.
    static func protected(_ arguments: [String]) -> [String] {
        arguments.map { argument in
            argument.wholeMatch(of: /-[0-9.]+,[-0-9. ]+/) == nil ? argument : " " + argument
        }
    }
}
