namespace Workflow.Abstractions.Exceptions;

/// <summary>What carries integration events out of the engine cannot be reached, or refuses. The message names it, without a secret.</summary>
public sealed class EventTransportException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public EventTransportException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <inheritdoc/>
    public override string Code => "event-transport-unavailable";
}
