namespace Workflow.Abstractions.Definitions;

/// <summary>
/// Runs the steps from <see cref="Start"/> until the last token among them has ended. They share the instance's
/// variables. Whatever ends it before (an event, the time, an error, an end that terminates) withdraws all that they
/// wait for.
/// </summary>
public sealed record SubProcessStep : BoundedStep
{
    public override string Type => "subProcess";

    /// <summary>The first step inside. What is reached from it is inside, and nothing else leads there.</summary>
    public required string Start { get; init; }

    /// <summary>
    /// The step taken when one inside fails that takes no errors itself, and no sub-process inside around that one
    /// does; null leaves the error to what is around.
    /// </summary>
    public string? OnError { get; init; }

    /// <summary>As of a <see cref="CallingStep"/>.</summary>
    public string? ErrorResult { get; init; }
}
