using Workflow.Abstractions.Expressions;

namespace Workflow.Abstractions.Definitions;

/// <summary>One case of a <see cref="DecideStep"/>.</summary>
/// <param name="When">The condition; only true takes the case, null does not.</param>
/// <param name="Next">The step taken.</param>
public sealed record DecideCase(Expression When, string Next);
