import Codec
import Support

/// Fault of a row of a recording, with its location.
package struct RowFault: Error, Equatable, Sendable {
    package enum Problem: Error, Equatable {
        /// The cell, attribute or element is missing or empty.
        case missing
        case noNumber
        case noTime
        /// A time without a zone.
        case noZone
        /// A number outside this range, such as `-90 to 90`.
        case outside(String)
        /// Any other fault, as a sentence.
        case other(String)
    }

    /// The line in the file, counted from 1.
    package var line: Int
    /// The column of a CSV file, counted from 1; `nil` if missing, or in other formats.
    package var column: Int?
    /// Name of the cell, attribute or element in the file.
    package var name: String
    /// The value in the file.
    package var value: String
    package var problem: Problem

    package init(line: Int = 0, column: Int? = nil, name: String, value: String = "", problem: Problem) {
        self.line = line
        self.column = column
        self.name = name
        self.value = value
        self.problem = problem
    }

    /// Description with the value: `lat 91 is outside -90 to 90`.
    package var reason: String {
        switch problem {
        case .missing: FaultText.missing(name)
        case .noNumber: FaultText.expected(name, FaultText.quoted(value), "a number")
        case .noTime: FaultText.expected(name, FaultText.quoted(value), FaultText.time)
        case .noZone: "\(name) \(FaultText.quoted(value)) has no time zone; expected Z or an offset such as +01:00"
        case .outside(let range): FaultText.outside(name, FaultText.shortened(value), range)
        case .other(let sentence): sentence
        }
    }

    /// Description without the value, for summaries: `lat outside -90 to 90`.
    package var kind: String {
        switch problem {
        case .missing: "\(name) missing"
        case .noNumber: "\(name) not a number"
        case .noTime: "\(name) not a time"
        case .noZone: "\(name) without a time zone"
        case .outside(let range): "\(name) outside \(range)"
        case .other: name
        }
    }

    /// Location and description: `line 17, column 4: lat 91 is outside -90 to 90`.
    package var text: String { "line \(line)\(column.map { ", column \($0)" } ?? ""): \(reason)" }
}

/// A cell, attribute or element of a row, with its location.
struct RowCell {
    var line = 0
    var column: Int?
    var name: String
    /// Text of the cell; empty if missing.
    var text: String

    func fault(_ problem: RowFault.Problem) -> RowFault {
        RowFault(line: line, column: column, name: name, value: text, problem: problem)
    }

    /// Returns the number; `nil` if the cell is empty.
    func number(in range: ClosedRange<Double>? = nil) throws(RowFault) -> Double? {
        if text.isEmpty { return nil }
        guard let number = Double(text), number.isFinite else { throw fault(.noNumber) }
        if let range, !range.contains(number) { throw fault(.outside(FaultText.words(range))) }
        return number
    }

    func required(in range: ClosedRange<Double>) throws(RowFault) -> Double {
        guard let number = try number(in: range) else { throw fault(.missing) }
        return number
    }

    func time(unit: RecordedTime.Unit, assumesUTC: Bool = false) throws(RowFault) -> Timestamp {
        if text.isEmpty { throw fault(.missing) }
        do { return try RecordedTime.read(text, unit: unit, assumesUTC: assumesUTC) } catch { throw fault(error) }
    }
}
