import Testing

@testable import Support

@Suite("Byte slices")
struct ByteSliceTests {
    @Test(
        "a text is found at the start, in the middle, at the end, and after its own first letters",
        arguments: ["abc", "xabc", "abcx", "xabcx", "aabc", "ababc", "abaabcab"])
    func contains(text: String) {
        #expect(ByteSlice.withBytes(of: text) { $0.contains("abc") })
    }

    @Test(
        "a text is not found if it is missing, cut off or continues beyond the end of the slice",
        arguments: ["", "a", "ab", "abab", "bc", "xab", "aabbcc", "ABC"])
    func misses(text: String) {
        #expect(!ByteSlice.withBytes(of: text) { $0.contains("abc") })
        ByteSlice.withBytes(of: text + "abc") {
            #expect(!ByteSlice(start: $0.start, count: text.utf8.count).contains("abc"))
        }
    }
}
