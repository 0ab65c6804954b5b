import Testing

@testable import Kafka

@Suite("Log lines about deleted topics")
struct MissingTopicLogTests {
    private let context = KafkaClientContext { _ in }
    private let start = ContinuousClock.now

    private func level(_ text: String, _ facility: String = "METADATAUPDATE", after seconds: Double)
        -> KafkaLogLine.Level
    {
        let line = KafkaLogLine(level: .warning, facility: facility, text: text)
        return context.rateLimited(line, at: start + .seconds(seconds)).level
    }

    @Test("a line about a deleted topic is a warning once in ten seconds, and debug in between")
    func onceInTenSeconds() {
        let text = "[thrd:main]: Topic (null) not found in cache"
        #expect(level(text, after: 0) == .warning)
        #expect(level(text, after: 0.02) == .debug && level(text, after: 9.999) == .debug)
        #expect(level(text, after: 10) == .warning)
        #expect(level(text, after: 10.02) == .debug)
    }

    @Test("other lines are unchanged")
    func others() {
        for _ in 0..<2 {
            #expect(level("[thrd:main]: Topic a not found in cache", after: 0) == .warning)
            #expect(level("(null)", "FETCH", after: 0) == .warning)
        }
    }
}
