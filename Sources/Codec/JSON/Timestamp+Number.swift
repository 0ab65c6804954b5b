import CSimdJSON
import Support

extension Timestamp {
    /// A time as apps write it as a number; its size says what it counts.
    ///
    /// From 100,000,000,000 on: milliseconds since 1970. From 1,400,000,000 on: seconds since 1970. Below: seconds since
    /// 2001, as Swift's `JSONEncoder` writes dates. `nil` when it is negative, no number or beyond the year 9999.
    package init?(deviceNumber number: Double) {
        var milliseconds: Int64 = 0
        guard sl_time_of_number(number, &milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
