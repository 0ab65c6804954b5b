import Foundation
import Recordings

/// The Kafka Streams application among the peers: its jars, and the Java that compiles and runs it.
struct KafkaStreamsPeer: Equatable {
    /// Folder of the jars; by default that of the Apache Kafka in `KAFKA_HOME`.
    static let variable = "PEER_STREAMS_JARS"
    /// Names of the required jars, without their versions.
    static let libraries = [
        "kafka-streams", "kafka-clients", "rocksdbjni", "lz4-java", "slf4j-api", "jackson-databind", "jackson-core",
        "jackson-annotations",
    ]
    private static let source = "KafkaStreamsPeer"

    var jars: String
    var java: String
    var compiler: String

    /// Finds the jars and Java.
    ///
    /// - Throws: ``InputError`` with the missing things, in one line.
    init(environment: [String: String]) throws {
        let home = Self.value("KAFKA_HOME", environment)
        guard let folder = Self.value(Self.variable, environment) ?? home.map({ "\($0)/libs" }) else {
            throw InputError(
                "\(Self.variable) is not set (folder with the jars of Kafka Streams, such as libs of Apache Kafka).")
        }
        jars = folder
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let missing = Self.libraries.filter { library in !files.contains { Self.isJar($0, of: library) } }
        guard missing.isEmpty else {
            throw InputError("\(folder) has no jar of \(missing.joined(separator: ", ")); see \(Self.variable).")
        }
        guard let java = Self.program("java", environment), let compiler = Self.program("javac", environment) else {
            throw InputError("java and javac are not in JAVA_HOME/bin or PATH (a JDK of version 11 or later).")
        }
        (self.java, self.compiler) = (java, compiler)
    }

    /// Compiles the application into `folder`, and returns it with each processing guarantee.
    func compile(into folder: String) throws -> [PeerProgram] {
        let classes = "\(folder)/streams-classes"
        let libraries = "\(jars)/*"
        try BenchTool.run(
            compiler, ["-proc:none", "-d", classes, "-cp", libraries, "\(PeerProgram.sources)/\(Self.source).java"])
        return ["at_least_once", "exactly_once_v2"].map { guarantee in
            PeerProgram(
                name: "kafka_streams_\(guarantee)", program: java,
                arguments: ["-cp", "\(classes):\(libraries)", Self.source],
                environment: ["PEER_GUARANTEE": guarantee, "PEER_STATE": "\(folder)/streams-state"])
        }
    }

    /// Returns whether a file is a jar of `library` itself: the version follows its name.
    static func isJar(_ file: String, of library: String) -> Bool {
        guard file.hasPrefix("\(library)-"), file.hasSuffix(".jar") else { return false }
        return file.dropFirst(library.count + 1).first?.isNumber == true
    }

    private static func program(_ name: String, _ environment: [String: String]) -> String? {
        let home = value("JAVA_HOME", environment).map { ["\($0)/bin"] }
        let folders = home ?? (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func value(_ variable: String, _ environment: [String: String]) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}
