namespace Workflow.Abstractions.Exceptions;

/// <summary>There is no such dead letter.</summary>
public sealed class DeadLetterNotFoundException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public DeadLetterNotFoundException(Guid id)
        : base($"There is no dead letter {id}. GET /dead-letters lists the open ones; replayed ones are forgotten after a time.") => Id = id;

    /// <summary>The id.</summary>
    public Guid Id { get; }

    /// <inheritdoc/>
    public override string Code => "dead-letter-not-found";
}
