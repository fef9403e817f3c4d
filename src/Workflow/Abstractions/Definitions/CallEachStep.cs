namespace Workflow.Abstractions.Definitions;

/// <summary>
/// Runs a sub-workflow for every element of a list, or a number of times, and waits for them. It is an error when one
/// of them failed, was cancelled or could not be started: the others are cancelled then. The result is the list of
/// their outputs, in the order of the elements.
/// </summary>
public sealed record CallEachStep : CallingStep
{
    /// <summary>The most elements.</summary>
    public const int MaxElements = 1000;

    public override string Type => "callEach";

    public required string Definition { get; init; }

    /// <summary>Definition version; null takes the newest there is when an element is called.</summary>
    public int? Version { get; init; }

    /// <summary>A list of at most <see cref="MaxElements"/>; null where there is a count.</summary>
    public Template? Items { get; init; }

    /// <summary>A whole number from 0 to <see cref="MaxElements"/>; null where there are items.</summary>
    public Template? Count { get; init; }

    /// <summary>The name under which the input sees the element, where there are items.</summary>
    public string Item { get; init; } = "item";

    /// <summary>The name under which the input sees the element's number, from 1.</summary>
    public string Index { get; init; } = "index";

    /// <summary>How many run at a time, 1 or more; null for all.</summary>
    public int? MaxConcurrency { get; init; }

    /// <summary>
    /// Evaluated after each element that has ended; once it is true, the rest is cancelled, or not called. Sees
    /// <c>results</c>, <c>numberOfInstances</c> and its companions, by the names of BPMN.
    /// </summary>
    public Expression? CompletionCondition { get; init; }
}
