import Postgres

/// A period as Postgres understood it.
struct Period {
    /// Of type `timestamptz`.
    let from: PostgresValue
    /// Itself not part of the period.
    let to: PostgresValue
    /// For messages: `from 2025-03-14 18:00:00Z to 2025-03-14 19:00:00Z`.
    let text: String

    /// What is said where a period holds nothing; `subject` begins a sentence, such as `No fix of drv_1`.
    func nothing(_ subject: String) -> String {
        "\(subject) \(text). A longer period, such as --last 7d, or --from and --to, searches further."
    }
}
