import Foundation

/// Numbers as they are written in a plot: the same text for the same value, whatever the language.
enum PlotNumber {
    /// A place in the picture, to a tenth of a unit: what an eye can tell apart, and few digits to change.
    static func place(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let fraction = abs(tenths) % 10
        return "\(sign)\(abs(tenths) / 10)" + (fraction == 0 ? "" : ".\(fraction)")
    }

    /// With a comma between thousands, as `12,500` or `−0.25`; powers of ten where the digits would be too many.
    static func grouped(_ value: Double, fractionDigits: Int) -> String {
        guard abs(value) < 1e7, fractionDigits <= 6 else { return scientific(value) }
        let text = String(format: "%.\(fractionDigits)f", abs(value))
        let parts = text.split(separator: ".")
        var whole = ""
        for (place, digit) in parts[0].reversed().enumerated() {
            if place > 0, place.isMultiple(of: 3) { whole.append(",") }
            whole.append(digit)
        }
        let isZero = !text.contains { $0 != "0" && $0 != "." }
        return (value < 0 && !isZero ? "−" : "") + String(whole.reversed()) + (parts.count > 1 ? "." + parts[1] : "")
    }

    /// A value below 1 with the digits it has, as `0.002`; powers of ten under a ten-thousandth.
    static func short(_ value: Double) -> String {
        guard abs(value) >= 0.999e-4 else { return scientific(value) }
        let digits = max(0, Int((-log10(abs(value)) - 1e-9).rounded(.up)))
        return grouped(value, fractionDigits: digits)
    }

    /// As `10⁻⁶` or `2.5×10⁹`.
    static func scientific(_ value: Double) -> String {
        guard value != 0, value.isFinite else { return "0" }
        var exponent = Int(log10(abs(value)).rounded(.down))
        var mantissa = (abs(value) / pow(10, Double(exponent)) * 1000).rounded() / 1000
        if mantissa >= 10 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
        let superscripts = Array("⁰¹²³⁴⁵⁶⁷⁸⁹")
        let digits = String(abs(exponent)).compactMap(\.wholeNumberValue).map { superscripts[$0] }
        let power = "10" + (exponent < 0 ? "⁻" : "") + String(digits)
        let sign = value < 0 ? "−" : ""
        if mantissa == 1 { return sign + power }
        let factor = mantissa == mantissa.rounded() ? "\(Int(mantissa))" : "\(mantissa)"
        return "\(sign)\(factor)×\(power)"
    }
}
