namespace Workflow.Abstractions.Definitions;

/// <summary>Assigns variables; all values are evaluated before any is assigned.</summary>
public sealed record SetStep : SequentialStep
{
    public override string Type => "set";

    /// <summary>Variable names and their values, in the order written.</summary>
    public required IReadOnlyList<KeyValuePair<string, Template>> Values { get; init; }
}
