import Codec

/// A message and the device that it is brought to.
struct PushKey: Hashable {
    let event: String
    let trip: String
    let device: PushDevice
}
