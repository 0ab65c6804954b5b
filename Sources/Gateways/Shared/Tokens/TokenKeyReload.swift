/// What became of a look at the file of keys.
package enum TokenKeyReload: Sendable, Hashable {
    /// It is the file whose keys are in use, or the one that was reported before; or it was looked at just now.
    case unchanged
    /// Its keys are in use from now on, and those that are no longer in it are not. `notes`: which keys of the file are
    /// left out, and why.
    case reloaded(keyCount: Int, notes: [String])
    /// It cannot be used, and the keys are those of before. `problem`: one line with the fix.
    case kept(problem: String)
}
