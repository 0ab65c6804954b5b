/// Setting that changes a property of the domain's settings; its default is the property's default.
struct DomainSetting<Root: Sendable>: Sendable {
    let definition: SettingDefinition
    /// Function that reads the setting into the property.
    let apply: @Sendable (inout SettingsReader, inout Root) -> Void
}

/// Factory of settings that change properties of `Root`; `programs` is the default of their readers.
struct DomainTable<Root: Sendable>: Sendable {
    private let defaults: Root
    private let programs: Set<Program>

    init(_ defaults: Root, programs: Set<Program>) {
        self.defaults = defaults
        self.programs = programs
    }

    func decimal(
        _ key: String, _ path: any WritableKeyPath<Root, Double> & Sendable, _ range: ClosedRange<Double>,
        _ unit: String, programs: Set<Program>? = nil, _ help: String
    ) -> DomainSetting<Root> {
        let definition = SettingDefinition(
            key, .decimal(range, unit: unit), default: .value(SettingDefinition.Kind.text(defaults[keyPath: path])),
            programs: programs ?? self.programs, help: help)
        return DomainSetting(definition: definition) { $1[keyPath: path] = $0.decimal(definition) }
    }

    func integer<Value: FixedWidthInteger & SendableMetatype>(
        _ key: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ range: ClosedRange<Int>, _ unit: String,
        _ help: String
    ) -> DomainSetting<Root> {
        let definition = SettingDefinition(
            key, .integer(range, unit: unit), default: .value(String(defaults[keyPath: path])), programs: programs,
            help: help)
        return DomainSetting(definition: definition) { $1[keyPath: path] = Value($0.integer(definition)) }
    }

    func flag(
        _ key: String, _ path: any WritableKeyPath<Root, Bool> & Sendable, _ help: String
    ) -> DomainSetting<Root> {
        let definition = SettingDefinition(
            key, .flag, default: .value(String(defaults[keyPath: path])), programs: programs, help: help)
        return DomainSetting(definition: definition) { $1[keyPath: path] = $0.flag(definition) }
    }
}
