/// Dots on a grid of characters: each character is a braille pattern of two by four dots.
struct BrailleCanvas {
    let columns: Int
    let rows: Int
    private var patterns: [UInt8]

    init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        patterns = Array(repeating: 0, count: columns * rows)
    }

    var dotColumns: Int { columns * 2 }
    var dotRows: Int { rows * 4 }

    /// The pattern of a character; blank where nothing was drawn.
    func character(column: Int, row: Int) -> Character? {
        let pattern = patterns[row * columns + column]
        return pattern == 0 ? nil : Character(Unicode.Scalar(0x2800 + UInt32(pattern)) ?? " ")
    }

    /// Draws a dot, counted from the upper left corner; nothing outside of the canvas.
    mutating func dot(_ x: Int, _ y: Int) {
        guard x >= 0, y >= 0, x < dotColumns, y < dotRows else { return }
        // Unicode numbers the dots 1 to 3 and 7 down the left side, 4 to 6 and 8 down the right one.
        let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
        patterns[y / 4 * columns + x / 2] |= bits[x % 2][y % 4]
    }

    /// Draws a straight line of dots.
    mutating func line(from start: (x: Double, y: Double), to end: (x: Double, y: Double)) {
        let steps = max(1, Int(max(abs(end.x - start.x), abs(end.y - start.y)).rounded(.up)))
        guard steps < 10_000 else { return }
        for step in 0...steps {
            let share = Double(step) / Double(steps)
            dot(
                Int((start.x + (end.x - start.x) * share).rounded()),
                Int((start.y + (end.y - start.y) * share).rounded()))
        }
    }
}
