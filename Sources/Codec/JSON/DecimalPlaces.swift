/// How many decimals a number is written with at most.
enum DecimalPlaces {
    /// 7: degrees of latitude and longitude.
    case degrees
    /// 3: probabilities.
    case thousandths
    /// 2: metres, m/s.
    case hundredths
    /// 2, and below 360: what rounds to 360 is written as 0.
    case heading
    /// 1: long distances, seconds.
    case tenths
}
