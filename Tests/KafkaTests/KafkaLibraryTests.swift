import Testing

@testable import Kafka

@Suite("librdkafka version")
struct KafkaLibraryTests {
    @Test("versions before 2.1.0 are rejected", arguments: [0x01_09_02_ff, 0x02_00_02_ff, 0x02_00_ff_ff] as [Int32])
    func refused(_ version: Int32) {
        let error = #expect(throws: KafkaError.self) { try KafkaLibrary.validate(version: version, text: "x") }
        #expect(error?.isFatal == true)
    }

    @Test("versions from 2.1.0 to 2.13.1 cause a warning", arguments: [0x02_01_00_00, 0x02_0d_01_ff] as [Int32])
    func warned(_ version: Int32) throws {
        #expect(try KafkaLibrary.validate(version: version, text: "2.x")?.contains("2.x") == true)
    }

    @Test("2.13.2 and newer are accepted", arguments: [0x02_0d_02_00, 0x02_10_00_ff, 0x03_00_00_00] as [Int32])
    func passed(_ version: Int32) throws { #expect(try KafkaLibrary.validate(version: version, text: "x") == nil) }
}
