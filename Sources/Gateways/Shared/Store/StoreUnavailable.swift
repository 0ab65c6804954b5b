/// Redis could not be asked, for now.
struct StoreUnavailable: Error {}
