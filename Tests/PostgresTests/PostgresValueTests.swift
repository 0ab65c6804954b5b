import Testing

@testable import Postgres

@Suite("Postgres values")
struct PostgresValueTests {
    @Test(
        "values are written in Postgres' text format",
        arguments: [
            (PostgresValue.null, nil), (.text("a'b"), "a'b"), (.text("a\0b"), "ab"), (.integer(-5), "-5"),
            (.double(0.1), "0.1"), (.double(.nan), "NaN"), (.double(-.infinity), "-Infinity"), (.boolean(true), "t"),
            (.texts([]), "{}"), (.texts(["a", "b\"c\\d,{}"]), #"{"a","b\"c\\d,{}"}"#), (.integers([1, -2]), "{1,-2}"),
        ] as [(PostgresValue, String?)])
    func encoding(value: PostgresValue, text: String?) { #expect(value.encoded == text) }
}
