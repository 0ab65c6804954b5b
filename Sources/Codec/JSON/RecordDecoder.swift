import CSimdJSON
import Domain
import Support

/// Reads records of Sightline's topics; use one per thread.
///
/// ``CanonicalJSONReader`` reads a record in exactly the form that ``RecordWriter`` produces, which nearly every record
/// has. At the first deviation it stops, and ``GenericJSONReader`` reads the record again as arbitrary JSON. Only
/// the generic reader decides whether a record is valid; for a canonical record both read the same values.
///
/// Allocates nothing once its buffers fit the records.
final class RecordDecoder {
    let storage = JSONStorage()
    /// Whether the last record was canonical.
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

/// Parsers and look-up tables of one reader.
final class JSONStorage {
    let parser = JSONParser()
    /// Parses JSON embedded in a record that is still being read.
    let inner = JSONParser()
    /// One per nesting level: record, object, nested object.
    let slots = (JSONSlots(), JSONSlots(), JSONSlots())
}
