import TestSupport
import Testing

@testable import Processing
@testable import Runtime

@Suite("Prometheus text")
struct PrometheusTextTests {
    @Test(
        "numbers have their shortest exact representation",
        arguments: [
            (0.0, "0"), (1.0, "1"), (-3.0, "-3"), (0.5, "0.5"), (1e-05, "1e-05"), (0.1, "0.1"),
            (9_007_199_254_740_991.0, "9007199254740991"), (1e300, "1e+300"),
            (Double.infinity, "+Inf"), (-Double.infinity, "-Inf"), (Double.nan, "NaN"),
        ])
    func number(value: Double, text: String) { #expect(PrometheusText.number(value) == text) }

    @Test("a finite number is parsed back to the same number")
    func numbersRoundTrip() throws {
        var generator = SeededGenerator(seed: 0x51_6874)
        for _ in 0..<10_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            let read = try #require(Double(PrometheusText.number(value)), "seed 0x516874")
            #expect(read == value, "seed 0x516874")
        }
    }

    @Test("label values and help texts are escaped")
    func escaping() {
        #expect(PrometheusText.escapedLabelValue("a\\b\"c\nd") == #"a\\b\"c\nd"#)
        #expect(PrometheusText.escapedHelp("a\\b\"c\nd") == #"a\\b"c\nd"#)
        #expect(PrometheusText.escapedLabelValue("\r\n").unicodeScalars.map(\.value) == [13, 92, 110])
    }

    @Test(
        "any label value is parsed back unchanged, after any help text",
        arguments: ["plain", "", "a\\", "\\n", "\"", "\n", "\r\n", "{a=\"b\"}", "ü 漢字 \u{1F68C}", "x,y=\"z\"", "  "])
    func labelsRoundTrip(value: String) throws {
        let definition = MetricDefinition("m", .gauge, labels: [.topic], help: "Help: \(value).")
        var output = PrometheusText()
        output.writeHeader(definition)
        output.writeSample("m", labels: PrometheusText.labels([("topic", value)]), 2)
        let snapshot = try MetricsSnapshot(parsing: output.text)
        #expect(snapshot.value("m", ["topic": value]) == 2)
    }
}
