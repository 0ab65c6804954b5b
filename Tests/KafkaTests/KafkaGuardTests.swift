#if canImport(CRdKafkaGuard)
    import CRdKafkaGuard
    import Testing

    @Suite("The guard before the client library")
    struct KafkaGuardTests {
        @Test("the library's calls reach it")
        func isUsed() {
            #expect(sl_kafka_guard_is_used() == 1)
        }

        @Test("a missing text is before every other and equal to a missing one")
        func missing() {
            #expect(sl_compare_texts(nil, nil) == 0)
            #expect(sl_compare_texts(nil, "") < 0 && sl_compare_texts("", nil) > 0)
        }

        @Test("texts compare by their bytes without a sign")
        func texts() {
            for (left, right) in [("", ""), ("a", "a"), ("topic", "topic")] {
                #expect(sl_compare_texts(left, right) == 0)
            }
            for (left, right) in [("", "a"), ("a", "b"), ("a", "aa"), ("z", "ä"), ("topic-1", "topic-2")] {
                #expect(sl_compare_texts(left, right) < 0 && sl_compare_texts(right, left) > 0, "\(left) \(right)")
            }
        }
    }
#endif
