extension Duration {
    /// Whole milliseconds, rounded towards zero.
    public var wholeMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }

    /// Whole milliseconds, rounded up, so that a wait does not end early.
    public var millisecondsRoundedUp: Int64 {
        let whole = wholeMilliseconds
        return self > .milliseconds(whole) ? whole + 1 : whole
    }
}
