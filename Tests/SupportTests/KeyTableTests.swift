import Support
import TestSupport
import Testing

@Suite("Key table")
struct KeyTableTests {
    @Test("random insertions and removals give the same result as a dictionary", arguments: [UInt64(1), 2, 3])
    func agreesWithDictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = KeyTable()
        var model: [String: Int] = [:]
        for _ in 0..<20_000 {
            let name = "driver_\(Int.random(in: 0..<3000, using: &random))"
            ByteSlice.withBytes(of: name) { key in
                if Bool.random(using: &random) {
                    let (index, isNew) = table.insert(key)
                    #expect(isNew == (model[name] == nil), "seed \(seed)")
                    if let known = model[name] { #expect(known == index) }
                    model[name] = index
                } else if let index = table.find(key) {
                    #expect(model.removeValue(forKey: name) == index, "seed \(seed)")
                    table.remove(at: index)
                } else {
                    #expect(model[name] == nil, "seed \(seed)")
                }
            }
        }
        let count = table.count
        #expect(count == model.count)
        #expect(Set(model.values).count == model.count)
        for (name, index) in model {
            let stored = table.key(at: index).string
            #expect(stored == name)
        }
    }
}
