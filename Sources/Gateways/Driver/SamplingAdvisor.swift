/// Tells a connected device its advice at first, and again only when it changes.
package struct SamplingAdvisor: Sendable {
    private var last: SamplingAdvice?

    package init() {}

    /// The advice that is to be sent for `conditions`; `nil` where the device has it already.
    package mutating func advice(for conditions: SamplingConditions) -> SamplingAdvice? {
        let advice = SamplingAdvice(conditions)
        guard advice != last else { return nil }
        last = advice
        return advice
    }
}
