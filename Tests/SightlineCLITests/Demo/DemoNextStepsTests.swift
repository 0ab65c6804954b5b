import Testing

@testable import Domain
@testable import SightlineCLI

@Suite("Commands to try during a demo")
struct DemoNextStepsTests {
    private func steps(isSimulated: Bool, stop: String? = "deploy/demo --stop") -> DemoNextSteps {
        var figures = DemoFigures()
        figures.positions["drv_2"] = Coordinate(latitude: 1, longitude: 1)
        figures.positions["drv_17"] = Coordinate(latitude: -0.000014, longitude: 11.5755)
        return DemoNextSteps(
            program: "run sightline", stop: stop, endpoints: ["http://127.0.0.1:9101"], figures: figures,
            isSimulated: isSimulated)
    }

    @Test(
        "the five commands include one for a driver and one for a position of the run", arguments: [true, false])
    func commands(isSimulated: Bool) throws {
        let commands = steps(isSimulated: isSimulated).commands.map(\.command)
        #expect(commands.count == 5 && commands.allSatisfy { $0.hasPrefix("run sightline ") })
        #expect(commands.contains("run sightline history driver-track drv_17 --last 1h"))
        #expect(commands.contains { $0.contains("near --latitude -0.00001 --longitude 11.57550 ") }, "\(commands)")
        // Without a running fleet there are no new records, so a command that waits for them would not end.
        let waiting = commands.filter { $0.contains(" tail ") && !$0.contains("--from-beginning") }
        #expect(waiting.isEmpty == !isSimulated)
    }

    @Test("the lines contain the workers' addresses and how to stop the demo")
    func lines() {
        let lines = steps(isSimulated: true).lines.map { $0.text(hasColor: false) }
        #expect(lines.contains("  http://127.0.0.1:9101/metrics"))
        #expect(lines.last == "To stop: Ctrl-C here, or deploy/demo --stop in another terminal.")
        #expect(steps(isSimulated: true, stop: nil).lines.last?.text(hasColor: false) == "To stop: Ctrl-C here.")
    }
}
