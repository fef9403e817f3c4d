using Workflow.Abstractions.Exceptions;

namespace Workflow.Engine.Execution;

/// <summary>Why an attempt of an activity failed.</summary>
/// <param name="Message">What it said.</param>
/// <param name="IsFinal">True when another attempt would fail as well.</param>
internal sealed record ActivityFailure(string Message, bool IsFinal = false)
{
    public static ActivityFailure From(Exception error) => new(error.Message, error is NonRetryableActivityException);
}
