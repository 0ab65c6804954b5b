import Support

extension KeyTable {
    /// Returns the index of `key`; inserts an absent key and sets `values[index]` to `blank`.
    package mutating func slot<Value>(
        of key: ByteSlice, in values: inout ContiguousArray<Value>, blank: @autoclosure () -> Value
    ) -> Int {
        let (index, isNew) = insert(key)
        if index == values.count {
            values.append(blank())
        } else if isNew {
            values[index] = blank()
        }
        return index
    }
}
