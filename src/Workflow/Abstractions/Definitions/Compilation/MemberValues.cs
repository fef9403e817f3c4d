namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>The members read from an object, by name.</summary>
internal sealed class MemberValues
{
    private readonly Dictionary<string, object> _values = new(StringComparer.Ordinal);

    public void Set(string name, object value) => _values[name] = value;
    public T Get<T>(string name) => (T)_values[name];
    public T GetOr<T>(string name, T other) => _values.TryGetValue(name, out var value) ? (T)value : other;
    public string? Text(string name) => (string?)_values.GetValueOrDefault(name);
    public Template? Template(string name) => (Template?)_values.GetValueOrDefault(name);
    public IReadOnlyList<StepEvent>? Events(string name) => (IReadOnlyList<StepEvent>?)_values.GetValueOrDefault(name);
    public TimeSpan? Duration(string name) => (TimeSpan?)_values.GetValueOrDefault(name);
    public int? Count(string name) => (int?)_values.GetValueOrDefault(name);
    public DefinitionLayout? Layout => (DefinitionLayout?)_values.GetValueOrDefault(DefinitionMembers.Layout);
    public SourceLocation? Source => (SourceLocation?)_values.GetValueOrDefault("source");
}
