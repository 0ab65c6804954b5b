import Support

extension KeyTable {
    /// The index of `key`, made if there is none, at which `values` then holds what is known of the key: `blank` if it
    /// is new.
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
