import Foundation
import Recordings
import Testing

@testable import Benchmarks

@Suite("Programs of other stream processors")
struct PeerProgramTests {
    @Test("the report is the last line of the output")
    func report() throws {
        let output = "a log line\n{\"records\": 90000, \"seconds\": 1.5, \"cpu_seconds\": 1.8}\n"
        let report = try #require(PeerProgram.Report(lastLineOf: Data(output.utf8)))
        #expect(report.ratePerSecond == 60_000 && report.cpuMicrosecondsPerRecord == 20)
    }

    @Test(
        "output without a report, or without records, is no report",
        arguments: ["", "{}", "Traceback", #"{"records": 0, "seconds": 1, "cpu_seconds": 1}"#])
    func noReport(output: String) {
        #expect(PeerProgram.Report(lastLineOf: Data(output.utf8)) == nil)
    }

    /// Calls `body` with a folder that contains empty jars, and one with empty programs.
    private func withFolders(
        jars: [String], programs: [String] = ["java", "javac"], _ body: (_ jars: String, _ home: String) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("peer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (libs, bin) = (folder.appendingPathComponent("libs"), folder.appendingPathComponent("bin"))
        for path in [libs, bin] { try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true) }
        for jar in jars { try Data().write(to: libs.appendingPathComponent(jar)) }
        for program in programs {
            let file = bin.appendingPathComponent(program)
            try Data().write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        try body(libs.path, folder.path)
    }

    private static let complete = KafkaStreamsPeer.libraries.map { "\($0)-1.2.3.jar" }

    @Test("Kafka Streams is found in the folder of its variable, or else in that of KAFKA_HOME")
    func found() throws {
        try withFolders(jars: Self.complete) { jars, home in
            let peer = try KafkaStreamsPeer(environment: ["PEER_STREAMS_JARS": jars, "JAVA_HOME": home])
            #expect(peer.jars == jars && peer.java == "\(home)/bin/java" && peer.compiler == "\(home)/bin/javac")
            let other = try KafkaStreamsPeer(environment: ["KAFKA_HOME": home, "PATH": "/nowhere:\(home)/bin"])
            #expect(other == peer)
        }
    }

    @Test("a missing variable, jar or Java is named in one line")
    func missing() throws {
        func text(_ environment: [String: String]) -> String {
            do { return "\(try KafkaStreamsPeer(environment: environment))" } catch { return "\(error)" }
        }
        #expect(text(["PEER_STREAMS_JARS": ""]).contains("PEER_STREAMS_JARS is not set"))
        // A jar of another library whose name begins in the same way does not count.
        let others = Self.complete.filter { !$0.hasPrefix("kafka-streams") } + ["kafka-streams-scala_2.13-4.0.0.jar"]
        try withFolders(jars: others) { jars, home in
            let error = text(["PEER_STREAMS_JARS": jars, "JAVA_HOME": home])
            #expect(error.contains("no jar of kafka-streams;") && !error.contains("\n"))
        }
        try withFolders(jars: Self.complete, programs: ["java"]) { jars, home in
            #expect(text(["PEER_STREAMS_JARS": jars, "JAVA_HOME": home]).contains("java and javac are not in"))
        }
        #expect(text(["PEER_STREAMS_JARS": "/nowhere"]).contains("no jar of kafka-streams, kafka-clients"))
    }
}
