/// Two rules that run one after the other, by direct calls.
struct SpoofRuleSequence<First: SpoofRule, Second: SpoofRule>: SpoofRule {
    let first: First
    let second: Second

    var weights: [Double] { first.weights + second.weights }

    @inline(__always) init(first: First, second: Second) {
        self.first = first
        self.second = second
    }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        first.examine(&context, settings)
        second.examine(&context, settings)
    }

    func problems() -> [String] { first.problems() + second.problems() }
}

/// Result builder that combines the listed rules into one rule, which runs them from top to bottom.
@resultBuilder
enum SpoofRuleList {
    @inline(__always) static func buildPartialBlock<Rule: SpoofRule>(first: Rule) -> Rule { first }

    @inline(__always) static func buildPartialBlock<Before: SpoofRule, Rule: SpoofRule>(
        accumulated: Before, next: Rule
    ) -> SpoofRuleSequence<Before, Rule> {
        SpoofRuleSequence(first: accumulated, second: next)
    }
}
