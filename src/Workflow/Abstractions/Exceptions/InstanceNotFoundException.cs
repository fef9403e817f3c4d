namespace Workflow.Abstractions.Exceptions;

public sealed class InstanceNotFoundException(Guid id)
    : WorkflowException($"There is no instance {id}. An id is given by the answer of POST /instances.")
{
    public Guid Id { get; } = id;
    public override string Code => "instance-not-found";
}
