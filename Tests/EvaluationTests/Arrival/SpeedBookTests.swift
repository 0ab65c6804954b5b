import Testing

@testable import Evaluation

struct SpeedBookTests {
    private static func entry(_ half: EvaluationHalf, _ speed: Double, line: String? = nil) -> SpeedBook.Entry {
        SpeedBook.Entry(routeID: line, half: half, meters: speed * 1000, seconds: 1000)
    }

    @Test("Speeds are the mean of the other half's trips")
    func otherHalf() {
        let book = SpeedBook(entries: [Self.entry(.fit, 4), Self.entry(.check, 12)])
        #expect(book.meanSpeed(half: .fit, meters: 5000) == 12)
        #expect(book.meanSpeed(half: .check, meters: 5000) == 4)
    }

    @Test("A line has its own mean from three trips on", arguments: [(2, false), (3, true)])
    func lines(count: Int, isLine: Bool) {
        let line = (0..<count).map { _ in Self.entry(.check, 5, line: "7") }
        let book = SpeedBook(entries: line + [Self.entry(.check, 20, line: "8")])
        #expect((book.plannedSpeed(meters: 5000, routeID: "7", half: .fit) == 5) == isLine)
    }

    @Test("Without recorded trips, longer trips are planned faster, within bounds")
    func usual() {
        let book = SpeedBook(entries: [])
        #expect(book.plannedSpeed(meters: 1000, routeID: nil, half: .fit) == SpeedBook.usualSpeed(meters: 1000))
        #expect(SpeedBook.usualSpeed(meters: 0) == 2)
        #expect(SpeedBook.usualSpeed(meters: 1000) < SpeedBook.usualSpeed(meters: 20_000))
        #expect(SpeedBook.usualSpeed(meters: 10_000_000) == 33)
    }

    @Test("Longer trips are planned faster, unless the recorded trips have equal speeds")
    func lengths() {
        let single = SpeedBook(entries: [Self.entry(.check, 8)])
        #expect(abs(single.plannedSpeed(meters: 8000, routeID: nil, half: .fit) - 8) < 1e-9)
        #expect(single.plannedSpeed(meters: 16_000, routeID: nil, half: .fit) > 8)
        // Ten short and ten long trips have equal speeds.
        let even = (0..<20).map { index in
            let seconds = index < 10 ? 100.0 : 10_000
            return SpeedBook.Entry(routeID: nil, half: .check, meters: 8 * seconds, seconds: seconds)
        }
        let planned = SpeedBook(entries: even).plannedSpeed(meters: 80_000, routeID: nil, half: .fit)
        #expect((7.9...8.2).contains(planned))
    }

    @Test("Halves are deterministic and about equal")
    func halves() {
        let halves = (0..<1000).map { EvaluationHalf.of(tripID: "trip-\($0)") }
        #expect((450...550).contains(halves.filter { $0 == .fit }.count))
        #expect(EvaluationHalf.of(tripID: "10185100@20260216") == EvaluationHalf.of(tripID: "10185100@20260216"))
        #expect(EvaluationHalf.all.includes(.fit) && !EvaluationHalf.fit.includes(.check))
    }
}
