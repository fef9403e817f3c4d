namespace Workflow.Abstractions.Exceptions;

/// <summary>The instance is over: it takes no signals and cannot be cancelled.</summary>
public sealed class InstanceFinishedException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public InstanceFinishedException(Guid id, string state, string signal)
        : base($"Instance {id} is {state} and takes no signals; signal '{signal}' was not accepted. GET /instances/{id} shows how it ended.")
    {
        Id = id;
        State = state;
    }

    /// <summary>Makes the error for a cancellation.</summary>
    public InstanceFinishedException(Guid id, string state)
        : base($"Instance {id} is {state} and cannot be cancelled any more. GET /instances/{id} shows how it ended.")
    {
        Id = id;
        State = state;
    }

    /// <summary>The id.</summary>
    public Guid Id { get; }

    /// <summary>Its state.</summary>
    public string State { get; }

    /// <inheritdoc/>
    public override string Code => "instance-finished";
}
