import Codec
import Foundation
import Support

/// The trips of raw records and of records that cannot be read, for the filter.
extension RecordRenderer {
    private static let names = AcceptedNames.rawLocations.members.first { $0.name == "trip_id" }?.spellings ?? []

    /// The trips that a record names, itself or in one of its fixes; none where no filter asks for them.
    ///
    /// Columns show the first fix of a batch alone, and dead letters may not be JSON: the members are looked up in the
    /// text, so that a batch that is cut off or has wrong entries is found by the others.
    func tripsNamed(in value: ByteSlice?) -> [String] {
        guard filters.contains(.trip), let value else { return [] }
        return MemberScanner(value).compactMap { member in
            guard member.isString, Self.names.contains(where: { member.name.buffer.elementsEqual($0.utf8) }) else {
                return nil
            }
            return Self.text(value[member.range])
        }
    }

    /// The inside of a JSON string without its escapes; `nil` where they are wrong.
    private static func text(_ inside: ByteSlice) -> String? {
        guard inside.buffer.contains(UInt8(ascii: "\\")) else { return inside.string }
        return try? JSONDecoder().decode(String.self, from: Data("\"\(inside.string)\"".utf8))
    }
}
