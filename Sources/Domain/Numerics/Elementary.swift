/// Elementary functions with bit-identical results on every machine.
///
/// States are compared byte for byte, but glibc has implementations for different processors that differ in the last
/// bit. These functions evaluate Taylor series with operations that IEEE 754 defines exactly. For finite arguments the
/// error is below 6 units in the last place; it is larger for sine and cosine beyond a million radians.
@usableFromInline package enum Elementary {
    /// ln 2 in two parts; the first has 32 bits, so that its product with an exponent is exact.
    private static let logarithmOfTwo = (high: 0x1.62e42feep-1, low: 0x1.a39ef35793c76p-33)

    /// π/2 in three parts; the first two have 33 bits, so that their products with a number of quarter turns are exact.
    private static let quarterTurn = (first: 0x1.921fb544p+0, second: 0x1.0b4611a6p-34, third: 0x1.3198a2e037073p-69)

    /// Returns the nearest integer, ties to even, for magnitudes below 2^51.
    @inline(__always) private static func nearest(_ x: Double) -> Double { (x + 0x1.8p52) - 0x1.8p52 }

    /// Returns 2^exponent, for exponents within -1022...1023.
    @inline(__always)
    private static func powerOfTwo(_ exponent: Int) -> Double { Double(bitPattern: UInt64(exponent + 1023) << 52) }

    /// Returns e^r · 2^power for r within ±0.35; infinity on overflow, 0 on underflow.
    @inline(__always) private static func scaledExponential(_ r: Double, power: Double) -> Double {
        let rr = r * r
        // To the 13th power, in pairs of terms for instruction-level parallelism.
        let low = (1 / 2 + r * (1 / 6)) + rr * (1 / 24 + r * (1 / 120))
        let middle = (1 / 720 + r * (1 / 5040)) + rr * (1 / 40_320 + r * (1 / 362_880))
        let high = (1 / 3_628_800 + r * (1 / 39_916_800)) + rr * (1 / 479_001_600 + r * (1 / 6_227_020_800))
        let value = 1 + (r + rr * (low + (rr * rr) * (middle + (rr * rr) * high)))
        let exponent = Int(power)
        if exponent > -1022, exponent < 1023 { return value * powerOfTwo(exponent) }
        let half = exponent / 2
        return value * powerOfTwo(half) * powerOfTwo(exponent - half)
    }

    package static func exp(_ x: Double) -> Double {
        // The condition is also false for NaN.
        guard abs(x) <= 746 else { return x > 0 ? .infinity : x < 0 ? 0 : x }
        let power = nearest(x * 1.442_695_040_888_963_4)
        return scaledExponential((x - power * logarithmOfTwo.high) - power * logarithmOfTwo.low, power: power)
    }

    package static func exp2(_ x: Double) -> Double {
        guard abs(x) <= 1076 else { return x > 0 ? .infinity : x < 0 ? 0 : x }
        let power = nearest(x)
        return scaledExponential((x - power) * 0.693_147_180_559_945_3, power: power)
    }

    /// Returns the natural logarithm of `x`; -infinity for 0, NaN for negative numbers.
    package static func log(_ x: Double) -> Double {
        guard x > 0, x < .infinity else { return x == 0 ? -.infinity : x == .infinity ? x : .nan }
        // The significand within 1/√2...√2.
        var exponent = Double(x.exponent)
        var significand = x.significand
        if significand > 1.414_213_562_373_095_1 {
            significand /= 2
            exponent += 1
        }
        let f = significand - 1
        // ln(1 + f) = 2 artanh(s).
        let s = f / (2 + f)
        let z = s * s
        let zz = z * z
        let low = (2 / 3 + z * (2 / 5)) + zz * (2 / 7 + z * (2 / 9))
        let high = (2 / 11 + z * (2 / 13)) + zz * ((2 / 15 + z * (2 / 17)) + zz * (2 / 19 + z * (2 / 21)))
        let series = z * (low + (zz * zz) * high)
        return exponent * logarithmOfTwo.high - ((s * (f - series) - exponent * logarithmOfTwo.low) - f)
    }

    /// Splits an angle into the nearest number of quarter turns, modulo 4, and the remainder within ±π/4.
    @inline(__always) private static func reduced(_ angle: Double) -> (quarters: Int, remainder: Double) {
        // Angles of positions and headings are within a few revolutions; larger angles lose accuracy.
        let angle = abs(angle) < 1e6 ? angle : angle.truncatingRemainder(dividingBy: 2 * .pi)
        let quarters = nearest(angle * 0.636_619_772_367_581_4)
        let remainder =
            ((angle - quarters * quarterTurn.first) - quarters * quarterTurn.second) - quarters * quarterTurn.third
        return (Int(quarters) & 3, remainder)
    }

    /// Returns the sine of an angle within ±π/4.
    @inline(__always) private static func sineNearZero(_ x: Double) -> Double {
        let z = x * x
        let zz = z * z
        let low = (-1 / 6 + z * (1 / 120)) + zz * (-1 / 5040 + z * (1 / 362_880))
        let high =
            (-1 / 39_916_800 + z * (1 / 6_227_020_800)) + zz * (-1 / 1_307_674_368_000 + z * (1 / 355_687_428_096_000))
        return x + x * z * (low + (zz * zz) * high)
    }

    /// Returns the cosine of an angle within ±π/4.
    @inline(__always) private static func cosineNearZero(_ x: Double) -> Double {
        let z = x * x
        let zz = z * z
        let low = (1 / 24 - z * (1 / 720)) + zz * (1 / 40_320 - z * (1 / 3_628_800))
        let high =
            (1 / 479_001_600 - z * (1 / 87_178_291_200)) + zz
            * (1 / 20_922_789_888_000 - z * (1 / 6_402_373_705_728_000))
        return (1 - z * (1 / 2)) + zz * (low + (zz * zz) * high)
    }

    package static func sin(_ angle: Double) -> Double {
        guard angle.isFinite else { return .nan }
        let (quarters, remainder) = reduced(angle)
        let value = quarters & 1 == 0 ? sineNearZero(remainder) : cosineNearZero(remainder)
        return quarters & 2 == 0 ? value : -value
    }

    package static func cos(_ angle: Double) -> Double {
        guard angle.isFinite else { return .nan }
        let (quarters, remainder) = reduced(angle)
        let value = quarters & 1 == 0 ? cosineNearZero(remainder) : sineNearZero(remainder)
        return quarters == 1 || quarters == 2 ? -value : value
    }

    /// Returns the angle within 0...π/4 whose tangent is `tangent`, within 0...1.
    private static func arcTangent(_ tangent: Double) -> Double {
        // Halves the angle twice, to within π/16.
        let half = tangent / (1 + (1 + tangent * tangent).squareRoot())
        let x = half / (1 + (1 + half * half).squareRoot())
        let z = x * x
        let zz = z * z
        let low = (-1 / 3 + z * (1 / 5)) + zz * (-1 / 7 + z * (1 / 9))
        let middle = (-1 / 11 + z * (1 / 13)) + zz * (-1 / 15 + z * (1 / 17))
        let high = -1 / 19 + z * (1 / 21)
        return 4 * (x + x * z * (low + (zz * zz) * (middle + (zz * zz) * high)))
    }

    /// Returns the angle of the point (`x`, `y`) in radians, within -π...π; 0 for the origin.
    package static func atan2(_ y: Double, _ x: Double) -> Double {
        let (width, height) = (abs(x), abs(y))
        guard width > 0 || height > 0 else { return x.isNaN || y.isNaN ? .nan : 0 }
        var angle = height <= width ? arcTangent(height / width) : .pi / 2 - arcTangent(width / height)
        if x < 0 { angle = .pi - angle }
        return y < 0 ? -angle : angle
    }

    /// Returns the angle within ±π/2 whose sine is `sine`; NaN beyond ±1.
    package static func asin(_ sine: Double) -> Double { atan2(sine, ((1 - sine) * (1 + sine)).squareRoot()) }
}
