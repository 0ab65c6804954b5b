import Lanes
import Tracking

/// One raw record as a line of NDJSON; the slices are valid until the reader's next call.
///
/// A line is either the record's value alone, as producers send it, whose `driver_id` is the key; or an envelope
/// `{"lane":3,"offset":184467,"timestamp":"…","key":"drv_17","value":{…}}` which also keeps what the broker knew, so
/// that a recorded lane can be processed again exactly. In an envelope a text as value is that text, which is how a
/// value that is not a JSON object is kept, and null is a record without value.
package struct RecordLine {
    /// Empty when the line names no driver.
    package var key: ByteSlice
    package var value: ByteSlice?
    /// The record's timestamp on the topic; `nil` outside an envelope.
    package var timestamp: Timestamp?
    package var lane: Int32?
    package var offset: Int64?
}
