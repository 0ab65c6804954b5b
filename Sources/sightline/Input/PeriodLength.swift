import ArgumentParser

/// The length of a period as an argument: `90s`, `30min`, `2h`, `7d`, or a sum such as `1h30min`.
struct PeriodLength: Equatable {
    /// Length in seconds, from 1 s to 100 years.
    let seconds: Int64

    static let day = PeriodLength(seconds: 86_400)
    private static let maximumSeconds = 100.0 * 366 * 86_400
    private static let units: [(names: Set<Substring>, seconds: Double)] = [
        (["s", "sec", "secs", "second", "seconds"], 1), (["m", "min", "mins", "minute", "minutes"], 60),
        (["h", "hr", "hrs", "hour", "hours"], 3600), (["d", "day", "days"], 86_400),
        (["w", "week", "weeks"], 604_800),
    ]

    private init(seconds: Int64) { self.seconds = seconds }

    /// - Throws: `ValidationError`; the parser adds the option's name.
    init(_ text: String) throws {
        var rest = text.drop { $0 == " " }
        guard !rest.isEmpty else { throw ValidationError("the length is empty; use 90s, 30min, 2h or 7d.") }
        var sum = 0.0
        while !rest.isEmpty {
            let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
            guard let number = Double(digits) else {
                throw ValidationError("a length needs a number and a unit, such as 90s, 30min, 2h or 7d.")
            }
            rest = rest.dropFirst(digits.count).drop { $0 == " " }
            let name = rest.prefix(while: \.isLetter)
            guard !name.isEmpty else {
                throw ValidationError("\(digits) has no unit; use \(digits)s, \(digits)min, \(digits)h or \(digits)d.")
            }
            guard let unit = Self.units.first(where: { $0.names.contains(Substring(name.lowercased())) }) else {
                throw ValidationError("unknown unit \(name); use s, min, h, d or w.")
            }
            sum += number * unit.seconds
            rest = rest.dropFirst(name.count).drop { $0 == " " }
        }
        guard sum >= 1, sum <= Self.maximumSeconds else {
            throw ValidationError("a length must be 1s to 100 years.")
        }
        seconds = Int64(sum.rounded())
    }
}
