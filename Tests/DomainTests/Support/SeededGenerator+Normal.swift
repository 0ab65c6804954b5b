import Foundation
import TestSupport

extension SeededGenerator {
    /// Returns a draw from the standard normal distribution (Box–Muller transform).
    mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: Double.leastNormalMagnitude..<1, using: &self))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}
