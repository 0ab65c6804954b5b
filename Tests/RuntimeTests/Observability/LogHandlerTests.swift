import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Runtime

@Suite("Log lines")
struct LogHandlerTests {
    final class Lines: Sendable {
        private let collected = Mutex<[String]>([])
        var all: [String] { collected.withLock { $0 } }
        var output: LogOutput { LogOutput { line in self.collected.withLock { $0.append(line) } } }
    }

    struct Failure: Error, CustomStringConvertible { let description = "no such store" }

    private func logger(_ format: LogFormat, _ lines: Lines, level: Logger.Level = .info) -> Logger {
        Logger(label: "location-worker") { label in
            LineLogHandler(label: label, level: level, format: format, output: lines.output) { 1_741_977_135_123 }
        }
    }

    @Test("a JSON line is one object with a fixed order of members")
    func jsonLine() {
        let lines = Lines()
        var logger = logger(.json, lines)
        logger[metadataKey: "stage"] = "location"
        logger.info(
            "The partition is restored.",
            metadata: .of([.partition: .stringConvertible(3), .seconds: .stringConvertible(0.25), .topic: "a \"b\""]))
        #expect(
            lines.all == [
                #"{"time":"2025-03-14T18:32:15.123Z","level":"info","logger":"location-worker","#
                    + #""message":"The partition is restored.","#
                    + #""metadata":{"partition":3,"seconds":0.25,"stage":"location","topic":"a \"b\""}}"# + "\n"
            ])
    }

    @Test(
        "any message and metadata become one line of valid JSON with their content",
        arguments: ["", "line\nbreak\r\n", "\u{0}\u{1f}\u{7f}", "\\\"", "ü漢\u{1F68C}", "\u{2028}\t"])
    func jsonEscaping(text: String) throws {
        let lines = Lines()
        logger(.json, lines).warning(
            "\(text)", metadata: ["k\(text)": ["list": [.string(text), .stringConvertible(true)]]])
        let line = try #require(lines.all.first)
        #expect(line.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["message"] as? String == text)
        #expect(object["level"] as? String == "warning")
        let metadata = try #require(object["metadata"] as? [String: [String: [Any]]])
        let list = try #require(metadata["k\(text)"]?["list"])
        #expect(list.first as? String == text)
        #expect(list.last as? Bool == true)
    }

    @Test("a text line quotes ambiguous values and stays one line")
    func textLine() {
        let lines = Lines()
        logger(.text, lines).error(
            "The store is away.\nStill.", metadata: .of([.partition: "3", .reason: "timed out", .topic: ""]))
        #expect(
            lines.all == [
                "2025-03-14T18:32:15.123Z error    location-worker: The store is away.\\nStill."
                    + " partition=3 reason=\"timed out\" topic=\"\"\n"
            ])
    }

    @Test("the error argument of a log statement becomes the metadata error")
    func errors() {
        let lines = Lines()
        logger(.text, lines).error("The store is away.", error: Failure())
        #expect(lines.all.first?.contains("error=\"no such store\"") == true)
    }

    @Test("lines have a source only at level debug or below", arguments: [(Logger.Level.debug, true), (.info, false)])
    func sources(level: Logger.Level, hasSource: Bool) {
        let lines = Lines()
        logger(.json, lines, level: level).info("Something happened.")
        #expect(lines.all.first?.contains("LogHandlerTests.swift:") == hasSource)
    }

    @Test("log statements below the logger's level are not written")
    func levels() {
        let lines = Lines()
        let logger = logger(.text, lines, level: .warning)
        logger.info("Something happened.")
        logger.warning("Something odd happened.")
        #expect(lines.all.count == 1)
    }

    @Test("changing the metadata of a copied logger does not affect the original")
    func valueSemantics() {
        let lines = Lines()
        let first = logger(.text, lines)
        var second = first
        second[metadataKey: "partition"] = "7"
        first.info("A line.")
        second.info("A line.")
        #expect(lines.all.map { $0.contains("partition=7") } == [false, true])
    }

    @Test("metadata has the names of the declared keys")
    func keys() { #expect(Logger.Metadata.of([.partition: "1", .topic: "t"]) == ["partition": "1", "topic": "t"]) }
}
