/// Failures of the parts of a run, which do not end the other parts.
final class PartFailures {
    private let check: () throws -> Void
    private let report: (String) -> Void
    /// The first error of each failed part, in the order of the failures.
    private var errors: [(name: String, text: String)] = []
    /// Reasons why parts were not measured; only used for parts without a result.
    private var reasons: [(name: String, text: String)] = []

    /// Creates an empty collection; `check` throws after a request to stop, `report` is called with each failure.
    init(check: @escaping () throws -> Void = {}, report: @escaping (String) -> Void = { _ in }) {
        self.check = check
        self.report = report
    }

    /// Calls `body`, which measures a part, and records its error.
    ///
    /// `detail` begins the text of the error, such as "repetition 2".
    /// - Returns: whether the part was measured.
    @discardableResult
    func measure(_ name: String, at detail: String? = nil, _ body: () throws -> Void) -> Bool {
        do {
            try check()
            try body()
            return true
        } catch {
            let text = (detail.map { "\($0): " } ?? "") + "\(error)"
            report("\(name) failed: \(text)")
            if !errors.contains(where: { $0.name == name }) { errors.append((name, text)) }
            return false
        }
    }

    /// Records that parts were not measured in a repetition, because a part that they need has failed.
    func skip(_ names: [String], because failed: String) {
        reasons += names.map { ($0, "not measured, because \(failed) failed") }
    }

    /// Returns the results with the errors of their parts, and a result for each failed part without one.
    ///
    /// A part that failed in one of several repetitions keeps the figures of the others.
    func applied(to results: [BenchResult]) -> [BenchResult] {
        var all = results
        func add(_ name: String, _ text: String) {
            var result = BenchResult(name)
            result.error = text
            all.append(result)
        }
        for (name, text) in errors {
            guard let index = all.firstIndex(where: { $0.name == name }) else {
                add(name, text)
                continue
            }
            all[index].error = text
        }
        for (name, text) in reasons where !all.contains(where: { $0.name == name }) { add(name, text) }
        return all
    }
}
