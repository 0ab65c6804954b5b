/// The ticket of a record: the number of the event loop and the place in its table.
enum DriverDeliveryToken {
    private static let loopBits = 10
    /// How many event loops can be told apart.
    static let maximumLoops = 1 << loopBits

    static func make(loop: Int, place: Int) -> Int { place << loopBits | loop }

    static func loop(of ticket: Int) -> Int { ticket & (maximumLoops - 1) }
    static func place(of ticket: Int) -> Int { ticket >> loopBits }
}
