extension MotionState.Halt {
    /// How many of the last fixes were left out because they were away from the anchor; 63 at most.
    package var strays: UInt8 {
        @inline(__always)
        get { strayBits & 0x3f }
        @inline(__always)
        set { strayBits = strayBits & 0xc0 | min(newValue, 0x3f) }
    }

    /// Whether the first of those fixes was farther away than a vehicle can have driven since the one before.
    package var isLeap: Bool {
        @inline(__always)
        get { strayBits & 0x40 != 0 }
        @inline(__always)
        set { strayBits = strayBits & 0xbf | (newValue ? 0x40 : 0) }
    }

    /// Whether the vehicle came to the anchor by a leap.
    package var hasLeapt: Bool {
        @inline(__always)
        get { strayBits & 0x80 != 0 }
        @inline(__always)
        set { strayBits = strayBits & 0x7f | (newValue ? 0x80 : 0) }
    }
}
