/// What can be tried while a demo goes on running: addresses of the workers, and commands as they are typed.
struct DemoNextSteps {
    /// What the printed commands begin with.
    struct Words {
        /// Runs `sightline` in the demo's environment.
        var program = "sightline"
        /// Ends the demo from another terminal; `nil` where only Ctrl-C does.
        var stop: String?
    }

    let words: Words
    /// `http://host:port` of each worker with its stage, where it is known.
    let endpoints: [String]
    /// The gateway's live map; `nil` where no gateway runs.
    let mapURL: String?
    /// Each with what it shows.
    let commands: [(command: String, meaning: String)]

    /// - Parameters:
    ///   - words: what the commands begin with.
    ///   - endpoints: the workers' addresses.
    ///   - mapURL: the gateway's live map.
    ///   - figures: of the run, from which come the drivers and places that the commands name.
    ///   - isSimulated: whether a fleet goes on sending.
    init(words: Words, endpoints: [String], mapURL: String? = nil, figures: DemoFigures, isSimulated: Bool) {
        self.mapURL = mapURL
        self.words = words
        self.endpoints = endpoints
        var commands: [(String, String)] = []
        if isSimulated {
            commands.append(("tail rider.updates --count 5", "what riders are told, as it happens"))
            commands.append(("tail driver.locations --count 5", "verdicts on locations, as they happen"))
        } else {
            commands.append(("tail driver.locations --from-beginning --count 5", "the first verdicts"))
            commands.append(
                (
                    "tail driver.locations --from-beginning --count 1 --json", "a verdict with everything that is in it"
                ))
        }
        commands.append(("history warnings --last 1h", "warnings about drivers, by code"))
        if let (driver, place) = figures.places.latest.min(by: { $0.key < $1.key }) {
            commands.append(("history driver-track \(driver) --last 1h", "where a driver was, fix by fix"))
            commands.append(
                (
                    "history near --latitude \(Self.degrees(place.latitude)) --longitude \(Self.degrees(place.longitude)) "
                        + "--radius 500 --last 1h", "who was around a place"
                ))
        }
        self.commands = commands.map { ("\(words.program) \($0.0)", $0.1) }
    }

    /// What is printed; a command is never broken, so that it can be copied.
    var lines: [StyledLine] {
        var lines: [StyledLine] = [""]
        if let mapURL {
            lines += [StyledLine("The live map, in a browser:", .strong), StyledLine("  \(mapURL)"), ""]
        }
        lines.append(StyledLine("Everything goes on running. In another terminal, try:", .strong))
        for (command, meaning) in commands {
            lines.append(StyledLine("  # \(meaning)", .faint))
            lines.append(StyledLine("  \(command)"))
        }
        if !endpoints.isEmpty {
            lines += ["", StyledLine("The workers' metrics, /healthz and /readyz are beside them:", .strong)]
            lines += endpoints.map { StyledLine("  \($0)/metrics") }
        }
        let elsewhere = words.stop.map { ", or \($0) in another terminal" } ?? ""
        return lines + ["", StyledLine("To end it: Ctrl-C here\(elsewhere).", .strong)]
    }

    /// Five decimals, about a metre, never with an exponent.
    private static func degrees(_ value: Double) -> String {
        let scaled = Int((abs(value) * 100_000).rounded())
        let digits = String(scaled % 100_000)
        let zeros = String(repeating: "0", count: 5 - digits.count)
        return (value < 0 ? "-" : "") + "\(scaled / 100_000)." + zeros + digits
    }
}
