namespace Workflow.Abstractions.Definitions;

/// <summary>One case of a <see cref="DecideStep"/> or an <see cref="InclusiveStep"/>.</summary>
/// <param name="When">The condition. What is neither true nor false, such as null, fails the step.</param>
/// <param name="Next">The step taken.</param>
public sealed record DecideCase(Expression When, string Next);
