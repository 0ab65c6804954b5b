import Testing

@testable import SightlineCLI

@Suite("Colours")
struct TerminalTests {
    @Test("NO_COLOR and a dumb terminal disable colours; an empty NO_COLOR does not")
    func environment() {
        #expect(Terminal.usesColors([:]))
        #expect(Terminal.usesColors(["NO_COLOR": "", "TERM": "xterm"]))
        #expect(!Terminal.usesColors(["NO_COLOR": "0"]))
        #expect(!Terminal.usesColors(["TERM": "dumb"]))
    }

    @Test("coloured text ends with a reset; plain text and text without colours are unchanged")
    func painting() {
        let colored = Terminal(width: 80, hasColors: true)
        #expect(colored.paint("accepted", .good) == "\u{1b}[32maccepted\u{1b}[0m")
        #expect(colored.paint("accepted", .plain) == "accepted")
        #expect(Terminal(width: nil, hasColors: false).paint("accepted", .good) == "accepted")
    }
}
