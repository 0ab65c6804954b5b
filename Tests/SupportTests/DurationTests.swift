import Testing

@Suite("Milliseconds of durations")
struct DurationTests {
    @Test(
        "milliseconds are rounded towards zero or up",
        arguments: [
            (.zero, 0, 0), (.milliseconds(1500), 1500, 1500), (.nanoseconds(1), 0, 1), (.nanoseconds(-1), 0, 0),
            (.microseconds(1_999_999), 1999, 2000), (.microseconds(-1_999_999), -1999, -1999),
        ] as [(Duration, Int64, Int64)])
    func rounding(duration: Duration, whole: Int64, roundedUp: Int64) {
        #expect(duration.wholeMilliseconds == whole)
        #expect(duration.millisecondsRoundedUp == roundedUp)
    }
}
