import CSimdJSON
import Model
import Support

/// Reads records that ``RecordWriter`` wrote; one per thread.
///
/// Allocates nothing once its buffers fit the records.
final class RecordDecoder {
    let storage = JSONStorage()
    /// Whether the last record was in the very form that it was written in, and needed no general reader.
    private(set) var isWritten = false

    /// Reads one record into `record`, reusing its storage.
    /// - Returns: whether it is one that could have been written; `record` and `event` are otherwise a mixture and mean
    ///   nothing.
    func read<Record: WireRecord>(_ value: ByteSlice, event: inout EventID, into record: inout Record) -> Bool {
        isWritten = readWritten(value, event: &event, into: &record)
        return isWritten || readGenerally(value, event: &event, into: &record)
    }

    private func readWritten<Record: WireRecord>(
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

    private func readGenerally<Record: WireRecord>(
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
