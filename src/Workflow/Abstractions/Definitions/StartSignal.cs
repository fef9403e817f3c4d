namespace Workflow.Abstractions.Definitions;

/// <summary>A signal that starts an instance.</summary>
/// <param name="Result">The variable that takes the payload; null where its members become the first variables.</param>
public sealed record StartSignal(string Signal, string? Result);
