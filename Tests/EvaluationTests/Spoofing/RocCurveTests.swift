import Testing

@testable import Evaluation

struct RocCurveTests {
    @Test("scores that separate the classes have an area of 1")
    func perfect() {
        let curve = RocCurve(positives: [0.9, 0.8], negatives: [0.1, 0.2, 0.3])
        #expect(curve.area == 1)
    }

    @Test("equal scores have an area of a half")
    func ties() {
        let curve = RocCurve(positives: [0.5, 0.5], negatives: [0.5, 0.5, 0.5])
        #expect(curve.area == 0.5)
    }

    @Test("the area is the share of pairs in the correct order")
    func pairs() {
        let positives: [Float] = [0.9, 0.4, 0.4, 0.1]
        let negatives: [Float] = [0.8, 0.4, 0.2]
        var ordered = 0.0
        for positive in positives {
            for negative in negatives { ordered += positive > negative ? 1 : positive == negative ? 0.5 : 0 }
        }
        #expect(abs(RocCurve(positives: positives, negatives: negatives).area - ordered / 12) < 1e-12)
    }

    @Test("a thinned curve has under 1,000 points, from a false-positive rate of 0 to (1, 1)")
    func thinned() {
        let scores = (0..<5000).map { Float($0) / 5000 }
        let thinned = RocCurve(positives: scores.map { $0 + 0.1 }, negatives: scores).thinned
        #expect(thinned.count < 1000)
        #expect(thinned.first?.falsePositiveRate == 0 && thinned.last?.falsePositiveRate == 1)
        #expect(thinned.last?.truePositiveRate == 1)
    }
}
