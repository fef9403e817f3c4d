namespace Workflow.Abstractions.Exceptions;

/// <summary>The instance is over: it takes no signals and cannot be cancelled.</summary>
public sealed class InstanceFinishedException : WorkflowException
{
    public InstanceFinishedException(Guid id, string state, string signal)
        : this(id, state, "takes no signals", $"; signal '{signal}' was not accepted")
    {
    }

    /// <summary>For a cancellation.</summary>
    public InstanceFinishedException(Guid id, string state)
        : this(id, state, "cannot be cancelled any more", "")
    {
    }

    private InstanceFinishedException(Guid id, string state, string refusal, string subject)
        : base($"Instance {id} is {state} and {refusal}{subject}. GET /instances/{id} shows how it ended.")
    {
        Id = id;
        State = state;
    }

    public Guid Id { get; }
    public string State { get; }
    public override string Code => "instance-finished";
}
