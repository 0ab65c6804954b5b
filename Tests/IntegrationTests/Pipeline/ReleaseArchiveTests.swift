import Foundation
import TestSupport
import Testing

@Suite("Release archive", .blocking, .nightly, .timeLimit(.minutes(10)))
struct ReleaseArchiveTests {
    private func run(_ program: String, _ arguments: [String], _ environment: [String: String]? = nil) throws
        -> (code: Int32, output: String)
    {
        try Checkout.run(URL(fileURLWithPath: program), arguments, environment: environment)
    }

    @Test("packed programs run in another folder without an environment, and the scripts use them")
    func unpackedRelease() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "release-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = Checkout.root.appendingPathComponent("deploy/release")
        let packed = try Checkout.run(
            script, ["--program", Program.folder.appendingPathComponent("sightline").path, "--output", folder.path])
        #expect(packed.code == 0, "\(packed.output)")
        let archive = try #require(packed.output.split(separator: "\n").last.map(String.init))
        let sum = try run("/bin/sh", ["-c", "cd '\(folder.path)' && sha256sum --check *.sha256"])
        #expect(sum.code == 0 && sum.output.hasSuffix(": OK\n"), "\(sum.output)")

        let target = folder.appendingPathComponent("unpacked").path
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        #expect(try run("/bin/tar", ["-x", "-f", archive, "-C", target]).code == 0)
        let name = URL(fileURLWithPath: archive).lastPathComponent.replacingOccurrences(of: ".tar.gz", with: "")
        let unpacked = "\(target)/\(name)"
        let version = try run("/bin/sh", ["-c", "cd / && exec env -i '\(unpacked)/bin/sightline' --version"])
        #expect(version.code == 0, "\(version.output)")
        #expect(name.hasPrefix("sightline-\(version.output.dropLast())-linux-"), "\(name)")
        let worker = try run("/usr/bin/env", ["-i", "\(unpacked)/bin/location-worker", "--check-config"])
        #expect(worker.code == 0 && worker.output.contains("KAFKA_CLIENT_ID=location-worker"), "\(worker.output)")
        let libraries = try run("/usr/bin/env", ["-i", "/usr/bin/ldd", "\(unpacked)/bin/sightline"])
        let foreign = libraries.output.split(separator: "\n").filter { $0.contains("=>") && !$0.contains(target) }
        #expect(
            foreign.allSatisfy { $0.firstMatch(of: /^\s*(lib(c|m|mvec|dl|pthread|rt|resolv)\.so)/) != nil },
            "system libraries other than glibc are used: \(foreign)")
        for file in ["README", "LICENSE", "lib/librdkafka.so.1", "bin/eta-worker"] {
            #expect(FileManager.default.fileExists(atPath: "\(unpacked)/\(file)"), "\(file)")
        }
        try useInScripts(unpacked, version: version.output)
    }

    private func useInScripts(_ unpacked: String, version: String) throws {
        var environment = ProcessInfo.processInfo.environment
        environment["SIGHTLINE_LOCAL_BIN"] = nil
        // With this setting, a program prints that it cannot write backtraces if the compiler's tools are missing.
        environment["SWIFT_BACKTRACE"] = nil
        environment["SIGHTLINE_PREBUILT"] = unpacked
        let build = try run(Checkout.root.appendingPathComponent("deploy/local/build").path, [], environment)
        #expect(build.code == 0 && build.output.contains("nothing is built"), "\(build.output)")
        let command = try run(Checkout.root.appendingPathComponent("deploy/sl").path, ["--version"], environment)
        #expect(command.code == 0 && command.output == version, "\(command.output)")
        environment["SIGHTLINE_PREBUILT"] = "/nowhere"
        let missing = try run(Checkout.root.appendingPathComponent("deploy/local/build").path, [], environment)
        #expect(missing.code == 2 && missing.output.contains("SIGHTLINE_PREBUILT"), "\(missing.output)")
    }
}
