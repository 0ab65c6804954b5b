import Testing

@testable import Kafka

@Suite("librdkafka version")
struct KafkaLibraryTests {
    @Test("versions before 2.1.0 are an error", arguments: [0x01_09_02_ff, 0x02_00_02_ff, 0x02_00_ff_ff] as [Int32])
    func unsupported(_ version: Int32) {
        let error = #expect(throws: KafkaError.self) { try KafkaLibrary.validate(version: version, text: "x") }
        #expect(error?.isFatal == true)
    }

    @Test("versions from 2.1.0 to 2.13.1 cause a warning", arguments: [0x02_01_00_00, 0x02_0d_01_ff] as [Int32])
    func outdated(_ version: Int32) throws {
        #expect(try KafkaLibrary.validate(version: version, text: "2.x")?.contains("2.x") == true)
    }

    @Test("versions from 2.13.2 cause no warning", arguments: [0x02_0d_02_00, 0x02_10_00_ff, 0x03_00_00_00] as [Int32])
    func supported(_ version: Int32) throws { #expect(try KafkaLibrary.validate(version: version, text: "x") == nil) }
}
