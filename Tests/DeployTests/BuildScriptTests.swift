import Foundation
import TestSupport
import Testing

@Suite("deploy/local/build", .blocking, .timeLimit(.minutes(10)))
struct BuildScriptTests {
    /// Build command in the script's help, for one product.
    private static let command = "swift build -c release --no-color-diagnostics --product"

    /// Creates a package with a Swift and a C module, because colour options affect both compilers.
    private func makePackage(at folder: URL) throws {
        let files = [
            "Package.swift": """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "hello", targets: [.target(name: "C"), .executableTarget(name: "hello", dependencies: ["C"])])
            """,
            "Sources/hello/main.swift": "import C\nprint(number())\n",
            "Sources/C/include/c.h": "int number(void);\n",
            "Sources/C/c.c": "#include \"c.h\"\nint number(void) { return 1; }\n",
        ]
        for (path, text) in files {
            let file = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
    }

    @Test("the script shows its progress, and a later manual build as documented recompiles nothing")
    func manualBuildRecompilesNothing() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "build-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        try makePackage(at: folder)
        var environment = ProcessInfo.processInfo.environment
        environment["SIGHTLINE_PREBUILT"] = nil
        environment["SIGHTLINE_BUILD_OPTIONS"] = "--package-path \(folder.path)"
        let built = try Checkout.run(
            Checkout.root.appendingPathComponent("deploy/local/build"), ["hello"], environment: environment)
        #expect(built.code == 0, "\(built.output)")
        #expect(built.output.contains(/Building: .*, \d+ s/), "\(built.output)")
        // The manual build runs at a terminal, then with its output in a pipe.
        let manualBuild = "\(Self.command) hello --package-path \(folder.path)"
        for arguments in [["script", "-qec", manualBuild, "/dev/null"], ["sh", "-c", manualBuild]] {
            let rebuilt = try Checkout.run(URL(fileURLWithPath: "/usr/bin/env"), arguments)
            #expect(rebuilt.code == 0 && rebuilt.output.contains(" complete!"), "\(rebuilt.output)")
            #expect(!rebuilt.output.contains("Compiling"), "\(rebuilt.output)")
        }
    }

    @Test("deploy/local/build chaos builds every program that the chaos suite runs")
    func chaosPrograms() throws {
        let script = try Checkout.text("deploy/local/build")
        let part = try #require(script.firstMatch(of: /\n    chaos\)\n(?s:(.*?));;/)?.1)
        let products = try #require(part.firstMatch(of: /for product in ([^;]*);/)?.1).split(separator: " ")
        // Workers and gateways are links to `sightline`.
        #expect(products == ["chaos", "chaos-clock", "sightline", "sightline-client-audit"])
        #expect(try Checkout.text("deploy/local/chaos").contains("deploy/local/build chaos "))
    }
}
