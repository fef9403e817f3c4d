namespace Workflow.Abstractions.Building;

/// <summary>
/// A value in a definition: any JSON, in which a text that begins with <c>=</c> is an expression, at any depth. Texts,
/// whole and decimal numbers, booleans and variables convert by themselves: <c>"= price * quantity"</c>, <c>100</c>,
/// <c>0.5m</c>, <c>true</c>.
/// </summary>
public readonly record struct TemplateValue
{
    private readonly string? _json;

    private TemplateValue(string json) => _json = json;

    /// <summary>The JSON null, which <c>default</c> is too.</summary>
    public static TemplateValue Null => default;

    internal string Json => _json ?? "null";

    public static TemplateValue List(params TemplateValue[] items) =>
        new(JsonText.List(items.Select(item => item.Json)));

    /// <summary>Named values, as in a JSON object.</summary>
    public static TemplateValue Context(params (string Name, TemplateValue Value)[] members) =>
        new(JsonText.Object(members.Select(member => (member.Name, member.Value.Json))));

    /// <summary>
    /// A text, or an expression where it begins with <c>=</c>; a null reference makes <see cref="Null"/>.
    /// </summary>
    public static implicit operator TemplateValue(string? text) => text is null ? Null : new(JsonText.Quote(text));

    public static implicit operator TemplateValue(decimal number) => new(Value.TextOf(number));
    public static implicit operator TemplateValue(bool flag) => new(flag ? "true" : "false");

    /// <summary>The expression that reads the variable.</summary>
    public static implicit operator TemplateValue(Variable variable) => new(JsonText.Quote($"= {variable.Name}"));

    public override string ToString() => Json;
}
