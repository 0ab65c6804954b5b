/// What an output carries until it is acknowledged: its partition, the ticket of that partition's ``InFlightRecords``,
/// and whether it goes to the changelog.
struct DeliveryToken: Equatable {
    var partition: Int32
    /// 0 to 2^40 - 1, which a thousand batches a second reach after 34 years.
    var number: Int
    /// Whether the output goes to the changelog.
    var isChangelog: Bool

    private static let numberBits = 40

    init(partition: Int32, number: Int, isChangelog: Bool) {
        self.partition = partition
        self.number = number
        self.isChangelog = isChangelog
    }

    /// Reads ``raw``.
    @inline(__always)
    init(raw: Int) {
        partition = Int32(truncatingIfNeeded: raw >> (Self.numberBits + 1))
        isChangelog = raw >> Self.numberBits & 1 == 1
        number = raw & (1 << Self.numberBits - 1)
    }

    /// All of it in one number, as the client library hands it back.
    @inline(__always)
    var raw: Int { Int(partition) << (Self.numberBits + 1) | (isChangelog ? 1 << Self.numberBits : 0) | number }
}
