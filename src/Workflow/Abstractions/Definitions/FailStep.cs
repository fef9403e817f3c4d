namespace Workflow.Abstractions.Definitions;

/// <summary>Fails the instance, unless a sub-process around takes the error.</summary>
public sealed record FailStep : StepDefinition
{
    public override string Type => "fail";

    /// <summary>What went wrong: a text, or an expression that gives one.</summary>
    public required Template Error { get; init; }

    /// <summary>
    /// What kind of error it is, for who catches it: a text of 1 to 128 characters, or an expression that gives one.
    /// Null, or an expression that gives null, for none.
    /// </summary>
    public Template? Code { get; init; }
}
