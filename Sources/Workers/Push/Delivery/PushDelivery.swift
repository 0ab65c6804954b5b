/// One message for one device, with the record that it tells of.
struct PushDelivery {
    let key: PushKey
    let item: PushBatch.Item
}
