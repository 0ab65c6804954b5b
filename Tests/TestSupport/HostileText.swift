/// What an attacker might send as an id to break out of SQL, a key, a line of the log or a terminal.
package enum HostileText {
    package static let all = [
        "'; DROP TABLE location_history; --", "\"' OR '1'='1", "a\u{0}b", "a\nb", "a\r\nFLUSHALL\r\n", "\u{1b}[2J",
        "a b",
        "a/../b", "a\\", "$1", "{a}*", "%s%n", "\u{202e}gpj.a", "\u{feff}a", "é", "a\u{301}", "\u{7f}",
        String(repeating: "a", count: 129), String(repeating: "a", count: 10_240),
    ]
}
