import Testing

@testable import Codec
@testable import Support

@Suite("Members of JSON text")
struct MemberScannerTests {
    /// Returns the members as `name=value`, strings with their quotes.
    private func members(_ json: String) -> [String] {
        ByteSlice.withBytes(of: json) { bytes in
            let scanner = MemberScanner(bytes)
            return scanner.map { "\($0.name.string)=\(scanner.text(of: $0).string)" }
        }
    }

    @Test("members are listed in order at any depth, and text values are not names")
    func order() {
        let json = "{\"a\" : 1.5,\"b\":[{\"c\":\"a\"},\"d\"],\r\n\t\"e\":{\"f\":null},\"g\":\"say \\\"h\\\":1\"}"
        #expect(
            members(json) == [
                "a=1.5", "b=[", #"c="a""#, "e={", "f=null", #"g="say \"h\":1""#,
            ])
    }

    @Test(
        "members of invalid JSON are listed",
        arguments: [
            ("", []), ("{", []), ("\"", []), (#"{"a"#, []), (#"{"a""#, []), (#"{"a":"#, ["a="]),
            (#"{"a":"b"#, [#"a="b"#]), (#"{"a":"\"#, [#"a="\"#]), (#"{"a":1"b":2"#, ["a=1", "b=2"]),
            (#"{"a":"b":1}"#, [#"a="b""#]), (#"x"a":[["b":-1"#, ["a=[", "b=-1"]),
        ] as [(String, [String])])
    func broken(json: String, expected: [String]) { #expect(members(json) == expected) }

    @Test("the range of a string excludes its quotes")
    func range() {
        ByteSlice.withBytes(of: #"{"a":"bc","d":""}"#) { bytes in
            let members = Array(MemberScanner(bytes))
            #expect(members.map { bytes[$0.range].string } == ["bc", ""])
            #expect(members.allSatisfy { $0.isString })
        }
    }
}
