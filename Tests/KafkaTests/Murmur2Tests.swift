import Kafka
import Support
import Testing

@Suite("Murmur2 partitioner")
struct Murmur2Tests {
    @Test(
        "keys go to the partitions of Kafka's Java client",
        arguments: [
            // Hashes from Kafka's own UtilsTest.testMurmur2; the partition is (hash & 0x7fffffff) % 1000.
            ("21", Int32(-973_932_308)), ("foobar", -790_332_482), ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
        ])
    func javaHashes(_ key: String, _ hash: Int32) {
        let partition = ByteSlice.withBytes(of: key) { murmur2Partition(key: $0, count: 1000) }
        #expect(partition == (hash & 0x7FFF_FFFF) % 1000)
    }
}
