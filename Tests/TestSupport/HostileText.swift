/// Invalid ids: too long, or meant to inject SQL, Redis keys, log lines or terminal commands.
package enum HostileText {
    package static let all = [
        "'; DROP TABLE location_history; --", "\"' OR '1'='1", "a\u{0}b", "a\nb", "a\r\nFLUSHALL\r\n", "\u{1b}[2J",
        "a b",
        "a/../b", "a\\", "$1", "{a}*", "%s%n", "\u{202e}gpj.a", "\u{feff}a", "é", "a\u{301}", "\u{7f}",
        String(repeating: "a", count: 129), String(repeating: "a", count: 10_240),
    ]
}
