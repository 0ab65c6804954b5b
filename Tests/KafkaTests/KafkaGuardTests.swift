#if canImport(CRdKafkaGuard)
    import CRdKafkaGuard
    import Testing

    @Suite("Guard for librdkafka's strcmp")
    struct KafkaGuardTests {
        @Test("librdkafka uses the guard")
        func isUsed() { #expect(sl_kafka_guard_is_used() == 1) }

        @Test("NULL compares as less than any string, and as equal to NULL")
        func nullStrings() {
            #expect(sl_compare_texts(nil, nil) == 0)
            #expect(sl_compare_texts(nil, "") < 0 && sl_compare_texts("", nil) > 0)
        }

        @Test("strings compare by their unsigned bytes")
        func strings() {
            for (left, right) in [("", ""), ("a", "a"), ("topic", "topic")] {
                #expect(sl_compare_texts(left, right) == 0)
            }
            for (left, right) in [("", "a"), ("a", "b"), ("a", "aa"), ("z", "ä"), ("topic-1", "topic-2")] {
                #expect(sl_compare_texts(left, right) < 0 && sl_compare_texts(right, left) > 0, "\(left) \(right)")
            }
        }
    }
#endif
