import Foundation
import TestSupport
import Testing

@testable import Domain

@Suite("Elementary functions")
struct ElementaryTests {
    /// A function, its counterpart in the C library, and the range to compare.
    struct Pair: Sendable, CustomTestStringConvertible {
        var name: String
        var ours: @Sendable (Double) -> Double
        var library: @Sendable (Double) -> Double
        var range: ClosedRange<Double>
        var testDescription: String { "\(name) in \(range)" }
    }

    static let pairs = [
        Pair(name: "exp", ours: { Elementary.exp($0) }, library: { Foundation.exp($0) }, range: -745...709),
        Pair(name: "exp", ours: { Elementary.exp($0) }, library: { Foundation.exp($0) }, range: -2...2),
        Pair(name: "exp2", ours: { Elementary.exp2($0) }, library: { Foundation.exp2($0) }, range: -1022...1023.9),
        Pair(name: "log", ours: { Elementary.log($0) }, library: { Foundation.log($0) }, range: 0.5...2),
        Pair(
            name: "log of a power", ours: { Elementary.log(Foundation.exp2($0)) },
            library: { Foundation.log(Foundation.exp2($0)) }, range: -1070...1023),
        Pair(name: "sin", ours: { Elementary.sin($0) }, library: { Foundation.sin($0) }, range: -20...20),
        Pair(name: "sin", ours: { Elementary.sin($0) }, library: { Foundation.sin($0) }, range: -1e-6...1e-6),
        Pair(name: "cos", ours: { Elementary.cos($0) }, library: { Foundation.cos($0) }, range: -20...20),
        Pair(name: "asin", ours: { Elementary.asin($0) }, library: { Foundation.asin($0) }, range: -1...1),
        Pair(name: "asin", ours: { Elementary.asin($0) }, library: { Foundation.asin($0) }, range: -1e-6...1e-6),
        Pair(
            name: "atan2 of a line", ours: { Elementary.atan2($0, 1) }, library: { Foundation.atan2($0, 1) },
            range: -50...50),
        Pair(
            name: "atan2 of a circle", ours: { Elementary.atan2(Elementary.sin($0), Elementary.cos($0)) },
            library: { Foundation.atan2(Elementary.sin($0), Elementary.cos($0)) }, range: -3.141...3.141),
    ]

    @Test("results differ from the C library's by at most six units in the last place", arguments: pairs)
    func accuracy(pair: Pair) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let x = Double.random(in: pair.range, using: &generator)
            let (ours, library) = (pair.ours(x), pair.library(x))
            // The comparison is also false if a result is NaN.
            guard !(abs(ours - library) <= 6 * max(ours.ulp, library.ulp)) else { continue }
            Issue.record("\(pair.name)(\(x)) is \(ours), the library's result is \(library), seed \(seed)")
            return
        }
    }

    @Test("results are bit-identical on every machine")
    func bits() {
        var hash: UInt64 = 14_695_981_039_346_656_037
        func add(_ value: Double) { hash = (hash ^ value.bitPattern) &* 1_099_511_628_211 }
        var generator = SeededGenerator(seed: 1)
        /// Returns a random number within ±20.
        func number() -> Double { Double(Int64(bitPattern: generator.next()) >> 11) * 0x1p-53 * 40 }
        for _ in 0..<10_000 {
            let (x, y) = (number(), number())
            for value in [Elementary.exp(x), Elementary.exp2(x), Elementary.log(abs(x)), Elementary.sin(x)] {
                add(value)
            }
            for value in [Elementary.cos(x), Elementary.atan2(y, x), Elementary.asin(x / 20)] { add(value) }
        }
        #expect(hash == 6_625_586_755_807_085_866)
    }

    @Test("arguments at limits, overflowing arguments and NaN give exact results")
    func limits() {
        #expect(Elementary.exp(0) == 1 && Elementary.exp2(0) == 1 && Elementary.exp2(-3) == 0.125)
        #expect(Elementary.exp(709.7) < .infinity && Elementary.exp(709.8) == .infinity)
        #expect(Elementary.exp(-745) > 0 && Elementary.exp(-746) == 0)
        #expect(Elementary.exp(.infinity) == .infinity && Elementary.exp(-.infinity) == 0 && Elementary.exp(.nan).isNaN)
        #expect(Elementary.exp2(1023) == 0x1p1023 && Elementary.exp2(1024) == .infinity)
        #expect(Elementary.exp2(-1074) == .leastNonzeroMagnitude && Elementary.exp2(-1077) == 0)
        #expect(Elementary.log(1) == 0 && Elementary.log(0) == -.infinity && Elementary.log(.infinity) == .infinity)
        #expect(Elementary.log(-1).isNaN && Elementary.log(.nan).isNaN)
        #expect(Elementary.sin(0) == 0 && Elementary.cos(0) == 1)
        #expect(Elementary.sin(.infinity).isNaN && Elementary.cos(.nan).isNaN)
        #expect(Elementary.atan2(0, 0) == 0 && Elementary.atan2(0, 1) == 0 && Elementary.atan2(0, -1) == .pi)
        #expect(Elementary.atan2(1, 0) == .pi / 2 && Elementary.atan2(-1, 0) == -.pi / 2)
        #expect(Elementary.asin(1) == .pi / 2 && Elementary.asin(-1) == -.pi / 2 && Elementary.asin(1.1).isNaN)
    }

    @Test("the approximations are within their documented errors")
    func approximations() {
        for step in -900...900 {
            let angle = Double(step) * .pi / 1800
            let limit = abs(step) <= 700 ? 2e-12 : 1e-10
            #expect(abs(Elementary.approximateCosine(angle) - Elementary.cos(angle)) < limit)
        }
        for step in 1...2000 {
            let value = Double(step) * 0.37
            #expect(abs(Elementary.approximateLogarithm(value) - Elementary.log(value)) < 2e-5)
        }
    }

    @Test(
        "sources import neither Foundation nor the C library, whose results differ between processors",
        arguments: ["Model", "Numerics", "Smoothing", "SpoofDetection", "ArrivalTimes", "RiderUpdates"])
    func imports(folder name: String) throws {
        let folder = Checkout.root.appendingPathComponent("Sources/Domain/\(name)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            count += 1
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains(/import\s+(\w+\s+)?(Glibc|Foundation)/), "\(file.lastPathComponent)")
        }
        #expect(count > 0)
    }
}
