import Foundation
import TestSupport
import Testing

@Suite("Container image", .blocking)
struct ImageTests {
    /// Returns the instructions of the last stage, with continued lines joined.
    private func runtimeStage() throws -> [String] {
        let dockerfile = try Checkout.text("deploy/Dockerfile").replacingOccurrences(of: "\\\n", with: " ")
        let stage = try #require(dockerfile.components(separatedBy: "\nFROM ").last)
        return stage.split(separator: "\n").dropFirst().map(String.init).filter { !$0.hasPrefix("#") }
    }

    @Test("the base image and the images of the services are pinned by digest")
    func pinnedImages() throws {
        let compose = try Checkout.text("docker-compose.yml").matches(of: /image: \$\{[A-Z]+_IMAGE:-(.+)\}/)
        let base = try #require(try Checkout.text("deploy/Dockerfile").matches(of: /\nFROM (\S+)/).last)
        let images = compose.map { String($0.1) } + [String(base.1)]
        #expect(images.count == 4)
        for image in images {
            #expect(image.wholeMatch(of: /[a-z\/]+:[a-z0-9.\-]+@sha256:[0-9a-f]{64}/) != nil, "\(image)")
        }
    }

    @Test("the last build step runs sightline as the user of the containers")
    func lastStepRunsProgram() throws {
        let stage = try runtimeStage()
        let steps = stage.filter { $0.hasPrefix("RUN ") || $0.hasPrefix("COPY ") || $0.hasPrefix("USER ") }
        #expect(steps.last == "RUN sightline --version")
        #expect(steps.dropLast().last == "USER 10001")
    }

    /// `ldconfig` does not register the wheel's librdkafka by file name, because its SONAME differs.
    @Test("librdkafka is copied to a folder that the loader searches by file name")
    func libraryFolder() throws {
        let copies = try runtimeStage().compactMap { $0.firstMatch(of: /^COPY --from=build \/out\/lib\/ (\/\S+)/) }
        let target = try #require(copies.first.map { String($0.1) })
        let loader = try #require(
            ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].first {
                FileManager.default.isExecutableFile(atPath: $0)
            })
        let help = try Checkout.run(URL(fileURLWithPath: loader), ["--help"]).output
        let folders = help.split(separator: "\n").filter { $0.hasSuffix("(system search path)") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        try #require(!folders.isEmpty, "\(help)")
        #expect(
            folders.contains(target.hasSuffix("/") ? String(target.dropLast()) : target),
            "\(target) is not one of \(folders)")
    }

    @Test("image-files links every worker and gateway to sightline, and the Dockerfile runs image-files")
    func programLinks() throws {
        let script = Checkout.root.appendingPathComponent("deploy/local/image-files")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("image-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        // Only the layout is checked, so any file can substitute for program and library.
        let result = try Checkout.run(script, [folder.path, "/bin/true", "/bin/true"])
        #expect(result.code == 0, "\(result.output)")
        for name in ComposeTests.services {
            let path = folder.appendingPathComponent("bin/\(name)").path
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "sightline")
        }
        #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("lib/librdkafka.so.1").path))
        #expect(try Checkout.text("deploy/Dockerfile").contains("deploy/local/image-files /out "))
    }
}
