/// L·D·Lᵀ factors of a symmetric positive definite matrix, for applying its inverse.
struct LDLFactors {
    private var l10: Double, l20: Double, l21: Double, l30: Double, l31: Double, l32: Double
    /// Reciprocals of D.
    private var reciprocal: SIMD4<Double>

    /// Factors the matrix plus `addition` on the diagonal; `nil` if the sum is not positive definite.
    init?(_ matrix: Matrix4, adding addition: Double) {
        let d0 = matrix.row0.x + addition
        l10 = matrix.row1.x / d0
        l20 = matrix.row2.x / d0
        l30 = matrix.row3.x / d0
        let d1 = matrix.row1.y + addition - l10 * l10 * d0
        l21 = (matrix.row2.y - l20 * l10 * d0) / d1
        l31 = (matrix.row3.y - l30 * l10 * d0) / d1
        let d2 = matrix.row2.z + addition - l20 * l20 * d0 - l21 * l21 * d1
        l32 = (matrix.row3.z - l30 * l20 * d0 - l31 * l21 * d1) / d2
        let d3 = matrix.row3.w + addition - l30 * l30 * d0 - l31 * l31 * d1 - l32 * l32 * d2
        guard d0 > 0, d1 > 0, d2 > 0, d3 > 0 else { return nil }
        reciprocal = SIMD4(1 / d0, 1 / d1, 1 / d2, 1 / d3)
    }

    func solve(_ column: SIMD4<Double>) -> SIMD4<Double> {
        let y1 = column.y - l10 * column.x
        let y2 = column.z - l20 * column.x - l21 * y1
        let y3 = column.w - l30 * column.x - l31 * y1 - l32 * y2
        let x3 = y3 * reciprocal.w
        let x2 = y2 * reciprocal.z - l32 * x3
        let x1 = y1 * reciprocal.y - l21 * x2 - l31 * x3
        let x0 = column.x * reciprocal.x - l10 * x1 - l20 * x2 - l30 * x3
        return SIMD4(x0, x1, x2, x3)
    }

    /// Returns the inverse times a matrix, all columns at once.
    func solve(_ matrix: Matrix4) -> Matrix4 {
        let y1 = matrix.row1 - l10 * matrix.row0
        let y2 = matrix.row2 - l20 * matrix.row0 - l21 * y1
        let y3 = matrix.row3 - l30 * matrix.row0 - l31 * y1 - l32 * y2
        let x3 = y3 * reciprocal.w
        let x2 = y2 * reciprocal.z - l32 * x3
        let x1 = y1 * reciprocal.y - l21 * x2 - l31 * x3
        let x0 = matrix.row0 * reciprocal.x - l10 * x1 - l20 * x2 - l30 * x3
        return Matrix4(x0, x1, x2, x3)
    }
}
