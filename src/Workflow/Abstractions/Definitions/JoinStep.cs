namespace Workflow.Abstractions.Definitions;

/// <summary>Waits for every branch of its fork, or of its inclusive step those that were taken.</summary>
public sealed record JoinStep : SequentialStep
{
    public override string Type => "join";
}
