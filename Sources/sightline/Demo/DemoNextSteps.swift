import Foundation
import Simulation

/// Commands and addresses to try while a demo continues to run.
struct DemoNextSteps {
    /// Command that stops the demo from another terminal; `nil` if only Ctrl-C stops it.
    let stop: String?
    /// `http://host:port` of each worker.
    let endpoints: [String]
    /// The live map; `nil` without a gateway.
    let mapURL: String?
    let commands: [(command: String, meaning: String)]

    /// Selects the commands, with a driver and a position of the run.
    ///
    /// `program`: prefix that runs `sightline` in the demo's environment. `isSimulated`: whether a fleet still sends.
    init(
        program: String, stop: String?, endpoints: [String], mapURL: String? = nil, figures: DemoFigures,
        isSimulated: Bool
    ) {
        self.mapURL = mapURL
        self.stop = stop
        self.endpoints = endpoints
        var commands: [(String, String)] = []
        if isSimulated {
            commands.append(("tail rider.updates --count 5", "updates for riders, live"))
            commands.append(("tail driver.locations --count 5", "verdicts on locations, live"))
        } else {
            commands.append(("tail driver.locations --from-beginning --count 5", "the first verdicts"))
            commands.append(
                ("tail driver.locations --from-beginning --count 1 --json", "a verdict with all its members"))
        }
        commands.append(("history warnings --last 1h", "warnings about drivers, by code"))
        if let (driver, position) = figures.positions.min(by: { $0.key < $1.key }) {
            commands.append(("history driver-track \(driver) --last 1h", "positions of a driver, fix by fix"))
            // Five decimals are about a metre.
            let degrees = [position.latitude, position.longitude].map {
                String(format: "%.5f", $0.rounded(toDecimals: 5))
            }
            commands.append(
                (
                    "history near --latitude \(degrees[0]) --longitude \(degrees[1]) --radius 500 --last 1h",
                    "drivers near a place"
                ))
        }
        self.commands = commands.map { ("\(program) \($0.0)", $0.1) }
    }

    /// The printed lines; commands are never wrapped, so that they can be copied.
    var lines: [StyledLine] {
        var lines: [StyledLine] = [""]
        if let mapURL {
            lines += [StyledLine("The live map, in a browser:", .strong), StyledLine("  \(mapURL)"), ""]
        }
        lines.append(StyledLine("Everything continues to run. In another terminal, try:", .strong))
        for (command, meaning) in commands {
            lines.append(StyledLine("  # \(meaning)", .faint))
            lines.append(StyledLine("  \(command)"))
        }
        if !endpoints.isEmpty {
            lines += ["", StyledLine("Metrics of the workers, which also serve /healthz and /readyz:", .strong)]
            lines += endpoints.map { StyledLine("  \($0)/metrics") }
        }
        let elsewhere = stop.map { ", or \($0) in another terminal" } ?? ""
        return lines + ["", StyledLine("To stop: Ctrl-C here\(elsewhere).", .strong)]
    }
}
