import Support

extension KeyTable {
    /// Returns the index of `key`, inserting it if absent; `values[index]` is set to `blank` for a new key.
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
