import Codec

/// What is wrong with one row of a recording, and where.
package struct RowFault: Error, Equatable, Sendable {
    package enum Problem: Equatable, Sendable {
        /// There is no such cell, attribute or element, or it is empty.
        case missing
        case noNumber
        case noTime
        /// A time that would be one with a zone.
        case noZone
        /// A number outside this range, as words: `-90 to 90`.
        case outside(String)
        /// Anything else, as a sentence that says it all.
        case other(String)
    }

    /// The line in the file, counted from 1.
    package var line: Int
    /// The column of a CSV file, counted from 1; `nil` where the file has no such column, or no columns.
    package var column: Int?
    /// What the cell, attribute or element is called in the file.
    package var name: String
    /// What stands there.
    package var value: String
    package var problem: Problem

    package init(line: Int = 0, column: Int? = nil, name: String, value: String = "", problem: Problem) {
        self.line = line
        self.column = column
        self.name = name
        self.value = value
        self.problem = problem
    }

    /// What is wrong, with the value: `lat 91 is outside -90 to 90`.
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

    /// The same without the value, to be summed up: `lat outside -90 to 90`.
    package var kind: String {
        switch problem {
        case .missing: "\(name) missing"
        case .noNumber: "\(name) no number"
        case .noTime: "\(name) no time"
        case .noZone: "\(name) without a time zone"
        case .outside(let range): "\(name) outside \(range)"
        case .other: name
        }
    }

    /// Where it stands, and what is wrong: `line 17, column 4: lat 91 is outside -90 to 90`.
    package var text: String { "line \(line)\(column.map { ", column \($0)" } ?? ""): \(reason)" }
}
