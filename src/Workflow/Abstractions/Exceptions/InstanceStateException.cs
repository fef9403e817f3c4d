namespace Workflow.Abstractions.Exceptions;

/// <summary>The command is not possible in the state of the instance.</summary>
/// <param name="refused">What it cannot be, e.g. <c>suspended</c>.</param>
/// <param name="remedy">What can be done instead, in whole sentences.</param>
public sealed class InstanceStateException(Guid id, string state, string refused, string remedy)
    : WorkflowException($"Instance {id} is {state} and cannot be {refused}. {remedy}")
{
    public Guid Id { get; } = id;
    public string State { get; } = state;
    public override string Code => "instance-state";
}
