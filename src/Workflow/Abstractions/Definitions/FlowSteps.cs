namespace Workflow.Abstractions.Definitions;

/// <summary>Assigns variables; all values are evaluated before any is assigned.</summary>
public sealed record SetStep : SequentialStep
{
    public override string Type => "set";

    /// <summary>Variable names and their values, in the order written.</summary>
    public required IReadOnlyList<KeyValuePair<string, Template>> Values { get; init; }
}

/// <summary>Takes the first case that is true.</summary>
public sealed record DecideStep : StepDefinition
{
    public override string Type => "decide";
    public required IReadOnlyList<DecideCase> Cases { get; init; }

    /// <summary>The step when no case is true.</summary>
    public required string Otherwise { get; init; }
}

/// <summary>One case of a <see cref="DecideStep"/> or an <see cref="InclusiveStep"/>.</summary>
/// <param name="When">The condition; only true takes the case, null does not.</param>
/// <param name="Next">The step taken.</param>
public sealed record DecideCase(Expression When, string Next);

/// <summary>Runs several branches until they meet at the join.</summary>
public sealed record ForkStep : StepDefinition
{
    public override string Type => "fork";

    public required IReadOnlyList<string> Branches { get; init; }

    /// <summary>The join at which every branch ends.</summary>
    public required string Join { get; init; }
}

/// <summary>Runs a branch for every case that is true, until they meet at the join.</summary>
public sealed record InclusiveStep : StepDefinition
{
    public override string Type => "inclusive";

    /// <summary>All are evaluated before a branch begins; no two lead to the same step.</summary>
    public required IReadOnlyList<DecideCase> Cases { get; init; }

    /// <summary>The only branch when no case is true.</summary>
    public required string Otherwise { get; init; }

    /// <summary>The join at which every branch ends.</summary>
    public required string Join { get; init; }
}

/// <summary>Waits for every branch of its fork, or of its inclusive step those that were taken.</summary>
public sealed record JoinStep : SequentialStep
{
    public override string Type => "join";
}

/// <summary>Raises an integration event.</summary>
public sealed record RaiseStep : SequentialStep
{
    public override string Type => "raise";
    public required string Event { get; init; }
    public Template? Payload { get; init; }
}

/// <summary>Ends the branch; as the last one, the sub-process that it is in, or the instance.</summary>
public sealed record EndStep : StepDefinition
{
    public override string Type => "end";

    /// <summary>Of the instance; null within a sub-process.</summary>
    public Template? Output { get; init; }

    /// <summary>Ends every other branch as well, within the sub-process that it is in.</summary>
    public bool Terminate { get; init; }
}

/// <summary>Fails the instance, unless a sub-process around takes the error.</summary>
public sealed record FailStep : StepDefinition
{
    public override string Type => "fail";

    /// <summary>What went wrong: a text, or an expression that gives one.</summary>
    public required Template Error { get; init; }

    /// <summary>
    /// What kind of error it is, for who catches it: a text of 1 to 128 characters, or an expression that gives one. Null, or an expression
    /// that gives null, for none.
    /// </summary>
    public Template? Code { get; init; }
}
