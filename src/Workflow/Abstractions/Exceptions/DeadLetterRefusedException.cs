namespace Workflow.Abstractions.Exceptions;

/// <summary>A dead letter was replayed and could not be applied once more. It stays open.</summary>
public sealed class DeadLetterRefusedException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public DeadLetterRefusedException(Guid id, int attempts, string reason)
        : base($"Dead letter {id} could not be applied in attempt {attempts} either and stays open: {reason} Remove the cause, then replay it again.")
    {
        Id = id;
        Attempts = attempts;
        Reason = reason;
    }

    /// <summary>The id.</summary>
    public Guid Id { get; }

    /// <summary>Attempts with this one.</summary>
    public int Attempts { get; }

    /// <summary>What was said to it this time.</summary>
    public string Reason { get; }

    /// <inheritdoc/>
    public override string Code => "dead-letter-refused";
}
