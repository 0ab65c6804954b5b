import CSimdJSON
import Domain
import Support

/// Reader of Sightline's topics; allocates only to grow its buffers; use one per thread.
///
/// ``CanonicalJSONReader`` reads a record that is encoded exactly as by ``RecordWriter``, like
/// nearly every record. At the first deviation, ``GenericJSONReader`` reads the record again as
/// arbitrary JSON and decides whether it is valid. From a canonical record, both readers read the
/// same values.
final class RecordDecoder {
    let storage = JSONStorage()
    /// Whether ``CanonicalJSONReader`` could read the last record.
    private(set) var isCanonical = false

    /// Reads one record into `record`, reusing its storage.
    /// - Returns: whether the record is valid; if not, `record` and `event` may have been partly overwritten.
    func read<Record: WireRecord>(_ value: ByteSlice, event: inout EventID, into record: inout Record) -> Bool {
        isCanonical = readCanonical(value, event: &event, into: &record)
        return isCanonical || readGeneric(value, event: &event, into: &record)
    }

    private func readCanonical<Record: WireRecord>(
        _ value: ByteSlice, event: inout EventID, into record: inout Record
    ) -> Bool {
        guard var reader = CanonicalJSONReader(value, storage.parser) else { return false }
        do {
            try record.code(event: &event, with: &reader)
            try reader.finish()
            return true
        } catch {
            return false
        }
    }

    private func readGeneric<Record: WireRecord>(
        _ value: ByteSlice, event: inout EventID, into record: inout Record
    ) -> Bool {
        var object: JSONValue?
        guard storage.parser.read(value, keeping: SL_KEEP_OPAQUE, into: &object) == SL_OK, let object else {
            return false
        }
        var reader = GenericJSONReader(object, storage)
        do {
            try record.code(event: &event, with: &reader)
            return true
        } catch {
            return false
        }
    }
}

/// Parsers and field tables of one reader.
final class JSONStorage {
    let parser = JSONParser()
    /// Parser of JSON embedded in a record that is still being read.
    let inner = JSONParser()
    /// One table per nesting level: record, object, nested object.
    let slots = (JSONSlots(), JSONSlots(), JSONSlots())
}

extension String {
    /// Assigns the text of `bytes`; keeps the storage if the text is equal.
    mutating func assign(_ bytes: ByteSlice) {
        if !hasBytes(bytes) { self = bytes.string }
    }

    private func hasBytes(_ bytes: ByteSlice) -> Bool {
        guard utf8.count == bytes.count, let start = bytes.start else { return isEmpty && bytes.isEmpty }
        return utf8.withContiguousStorageIfAvailable { text in
            text.baseAddress.map { sl_same_bytes($0, start, bytes.count) } ?? false
        } ?? false
    }
}

extension Optional<String> {
    mutating func assign(_ bytes: ByteSlice?) {
        guard let bytes else {
            self = nil
            return
        }
        if self == nil { self = bytes.string } else { self?.assign(bytes) }
    }
}
