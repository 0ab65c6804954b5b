import Foundation

/// What to do where a service does not answer, and no variable says where it is.
struct DefaultAddress {
    /// Such as "REDIS_URL is not set".
    let finding: String
    /// What to set, as the end of a sentence.
    let fix: String

    /// `folder`: where the program runs, which may be inside a checkout with a local stack.
    func advice(in folder: URL) -> String {
        let own = "\(finding), so this was the default address: \(fix)."
        return ([own] + (LocalCheckout(around: folder).map { [$0.advice] } ?? [])).joined(separator: " ")
    }
}
