namespace Workflow.Abstractions.Exceptions;

/// <summary>
/// The transport of integration events cannot be reached, or refuses. The message contains no secret.
/// </summary>
public sealed class EventTransportException(string message, Exception? inner = null) : WorkflowException(message, inner)
{
    public override string Code => "event-transport-unavailable";
}
