import Foundation
import TestSupport
import Testing

@Suite("The page of accuracies and what writes it", .blocking)
struct AccuracyPageTests {
    private static let page = "docs/accuracy.md"
    private static let folder = "docs/accuracy"

    @Test("without recordings the command says which folder it looked in and how to name another")
    func noRecordings() throws {
        let script = Checkout.root.appendingPathComponent("deploy/accuracy")
        let result = try Checkout.run(script, ["deploy"])
        #expect(result.code == 2)
        #expect(result.output.contains("there are no recordings in deploy"))
        #expect(result.output.contains("deploy/accuracy DATA-FOLDER, or set SIGHTLINE_DATA"))
    }

    @Test("an unknown option is refused, and --help explains the argument")
    func options() throws {
        let script = Checkout.root.appendingPathComponent("deploy/accuracy")
        #expect(try Checkout.run(script, ["--data"]).code == 2)
        let help = try Checkout.run(script, ["--help"])
        #expect(help.code == 0)
        #expect(help.output.contains("deploy/accuracy [DATA-FOLDER]"))
    }

    @Test("the page has a part for each evaluation of the command")
    func parts() throws {
        let page = try Checkout.text(Self.page)
        let parts = try Checkout.text("deploy/accuracy").matches(of: /\nevaluate [a-z]+ ([a-z-]+)/).map { String($0.1) }
        #expect(parts.count >= 3)
        for part in parts {
            let begin = page.range(of: "<!-- \(part):begin -->\n")
            let end = page.range(of: "<!-- \(part):end -->")
            #expect(begin != nil && end != nil, "\(part)")
            if let begin, let end { #expect(begin.upperBound <= end.lowerBound, "\(part)") }
        }
    }

    @Test("every plot that is linked is there, and no other")
    func plots() throws {
        let links = try Checkout.text(Self.page).matches(of: /\]\(accuracy\/([^)]+\.svg)\)/).map { String($0.1) }
        let folder = Checkout.root.appendingPathComponent(Self.folder).path
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        #expect(Set(links) == Set(files.filter { $0.hasSuffix(".svg") }))
    }
}
