using System.Diagnostics.CodeAnalysis;

namespace Workflow.Engine.Instances;

/// <summary>
/// A wait that ended while its instance was suspended. Its token moves on when the instance is resumed.
/// </summary>
internal sealed record EndedWait : Wait
{
    [SetsRequiredMembers]
    public EndedWait(Wait ended, Value value, InstanceError? error)
        : base(ended) => (Value, Error) = (value, error);

    /// <summary>The payload, result or output that ended the wait.</summary>
    public Value Value { get; }

    /// <summary>Why an activity or sub-workflow failed; null if it did not fail.</summary>
    public InstanceError? Error { get; }
}
