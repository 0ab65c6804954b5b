/// A condition on settings of `Root`; a violation is described in one sentence.
struct SettingCheck<Root> {
    fileprivate let problems: (Root) -> [String]

    /// Requires `holds`, for relations between settings.
    static func that(_ holds: Bool, _ sentence: String) -> Self { SettingCheck { _ in holds ? [] : [sentence] } }

    static func above<Value: Comparable>(_ bound: Value, _ paths: KeyPath<Root, Value>...) -> Self {
        every(paths, "above \(bound)") { $0 > bound }
    }

    static func atLeast<Value: Comparable>(_ bound: Value, _ paths: KeyPath<Root, Value>...) -> Self {
        every(paths, "at least \(bound)") { $0 >= bound }
    }

    static func within<Value: Comparable>(_ range: ClosedRange<Value>, _ paths: KeyPath<Root, Value>...) -> Self {
        every(paths, "\(range.lowerBound) to \(range.upperBound)") { range.contains($0) }
    }

    static func within<Value: Comparable>(_ range: Range<Value>, _ paths: KeyPath<Root, Value>...) -> Self {
        every(paths, "\(range.lowerBound) to below \(range.upperBound)") { range.contains($0) }
    }

    /// Reports each setting out of range by its key path, such as `DriftRule.seconds`.
    private static func every<Value>(
        _ paths: [KeyPath<Root, Value>], _ values: String, _ allows: @escaping (Value) -> Bool
    ) -> Self {
        SettingCheck { root in
            paths.filter { !allows(root[keyPath: $0]) }.map { "\("\($0)".dropFirst()) must be \(values)." }
        }
    }
}

/// Returns one sentence per violated check.
func settingProblems<Root>(of root: Root, _ checks: SettingCheck<Root>...) -> [String] {
    checks.flatMap { $0.problems(root) }
}
