namespace Workflow.Abstractions.Exceptions;

/// <summary>No such instance.</summary>
public sealed class InstanceNotFoundException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public InstanceNotFoundException(Guid id)
        : base($"There is no instance {id}. An id is given by the answer of POST /instances.")
    {
        Id = id;
    }

    /// <summary>The id.</summary>
    public Guid Id { get; }

    /// <inheritdoc/>
    public override string Code => "instance-not-found";
}
