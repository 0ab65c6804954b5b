/// The parsers of one reader, and where it looks up the members of a record, of an object in it, and of one in that.
final class JSONStorage {
    let parser = JSONParser()
    /// For texts inside a record, which are read while the record still is.
    let inner = JSONParser()
    let slots = (JSONSlots(), JSONSlots(), JSONSlots())
}
