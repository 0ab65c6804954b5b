import TestSupport
import Testing

@testable import Processing
@testable import Runtime

@Suite("Metric catalogue")
struct MetricCatalogueTests {
    @Test("names follow the Prometheus conventions", arguments: MetricCatalogue.all)
    func names(metric: MetricDefinition) throws {
        #expect(try /[a-z][a-z0-9_]*/.wholeMatch(in: metric.name) != nil)
        #expect(metric.name.hasPrefix("sightline_") || metric.name.hasPrefix("process_"))
        #expect(metric.name.hasSuffix("_total") == (metric.kind == .counter))
        #expect(metric.help.hasSuffix("."))
        if case .histogram(let buckets) = metric.kind {
            #expect(metric.name.hasSuffix("_seconds"))
            #expect(!buckets.isEmpty && buckets == buckets.sorted() && Set(buckets).count == buckets.count)
            #expect(buckets.allSatisfy { $0.isFinite && $0 > 0 })
        }
    }

    @Test("metric names are unique")
    func uniqueness() { #expect(Set(MetricCatalogue.all.map(\.name)).count == MetricCatalogue.all.count) }

    @Test("docs/metrics.md matches the catalogue")
    func documentation() throws {
        let section = GeneratedSection(file: "docs/metrics.md", name: "metrics")
        try section.writeIfRequested(MetricCatalogue.markdown)
        let documented = try section.read()
        #expect(documented == MetricCatalogue.markdown, GeneratedSection.advice)
    }
}
