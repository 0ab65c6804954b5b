struct Matrix4 {
    var row0: SIMD4<Double>
    var row1: SIMD4<Double>
    var row2: SIMD4<Double>
    var row3: SIMD4<Double>

    init(_ estimate: KinematicEstimate) {
        (row0, row1, row2, row3) = (estimate.row0, estimate.row1, estimate.row2, estimate.row3)
    }

    init(_ row0: SIMD4<Double>, _ row1: SIMD4<Double>, _ row2: SIMD4<Double>, _ row3: SIMD4<Double>) {
        (self.row0, self.row1, self.row2, self.row3) = (row0, row1, row2, row3)
    }

    /// Returns F·P, where F moves positions at constant velocity.
    func movedAtConstantVelocity(seconds: Double) -> Matrix4 {
        Matrix4(row0 + seconds * row2, row1 + seconds * row3, row2, row3)
    }

    /// Returns the product of the transposed matrix and a column.
    func transposed(times column: SIMD4<Double>) -> SIMD4<Double> {
        column.x * row0 + column.y * row1 + column.z * row2 + column.w * row3
    }

    /// Returns the product of the transposed matrix and another matrix.
    func transposed(times other: Matrix4) -> Matrix4 {
        func row(_ index: Int) -> SIMD4<Double> {
            row0[index] * other.row0 + row1[index] * other.row1 + row2[index] * other.row2 + row3[index] * other.row3
        }
        return Matrix4(row(0), row(1), row(2), row(3))
    }

    static func * (left: Matrix4, right: Matrix4) -> Matrix4 {
        Matrix4(
            right.transposed(times: left.row0), right.transposed(times: left.row1),
            right.transposed(times: left.row2), right.transposed(times: left.row3))
    }

    static func + (left: Matrix4, right: Matrix4) -> Matrix4 {
        Matrix4(left.row0 + right.row0, left.row1 + right.row1, left.row2 + right.row2, left.row3 + right.row3)
    }

    static func - (left: Matrix4, right: Matrix4) -> Matrix4 {
        Matrix4(left.row0 - right.row0, left.row1 - right.row1, left.row2 - right.row2, left.row3 - right.row3)
    }
}
