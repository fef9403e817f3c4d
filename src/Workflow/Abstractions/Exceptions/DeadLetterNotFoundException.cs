namespace Workflow.Abstractions.Exceptions;

public sealed class DeadLetterNotFoundException(Guid id) : WorkflowException(
    $"There is no dead letter {id}. GET /dead-letters lists the open ones; replayed ones are forgotten after a time.")
{
    public Guid Id { get; } = id;
    public override string Code => "dead-letter-not-found";
}
