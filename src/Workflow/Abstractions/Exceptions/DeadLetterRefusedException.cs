namespace Workflow.Abstractions.Exceptions;

/// <summary>A dead letter was replayed and could not be applied once more. It stays open.</summary>
public sealed class DeadLetterRefusedException(Guid id, int attempts, string reason) : WorkflowException(
    $"Dead letter {id} could not be applied in attempt {attempts} either and stays open: {reason} Remove the cause, "
        + "then replay it again.")
{
    public Guid Id { get; } = id;
    public int Attempts { get; } = attempts;
    public string Reason { get; } = reason;

    public override string Code => "dead-letter-refused";
}
