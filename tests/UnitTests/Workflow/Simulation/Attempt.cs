namespace UnitTests.Workflow.Simulation;

/// <param name="Life">Which life of which node was asked.</param>
/// <param name="Id">What was acknowledged: an instance, a signal or a task.</param>
/// <param name="Text">Why it was not acknowledged.</param>
internal sealed record Attempt(
    int Life, DateTimeOffset Invoked, DateTimeOffset Answered, Outcome Outcome, Guid Id, string Text)
{
    /// <summary>Whether the node had the lane at the request and at the answer; null if only at one of them.</summary>
    public bool? IsByOwner { get; init; }

    /// <summary>Whether the answer says that nothing was changed.</summary>
    public bool IsDuplicate { get; init; }
}
