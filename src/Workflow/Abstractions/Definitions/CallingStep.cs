namespace Workflow.Abstractions.Definitions;

/// <summary>Calls what may fail.</summary>
public abstract record CallingStep : AwaitingStep
{
    public Template? Input { get; init; }

    /// <summary>The step taken on an error; null fails the instance.</summary>
    public string? OnError { get; init; }

    /// <summary>
    /// The variable that takes <c>{ "code": text or null, "message": text }</c> when <see cref="OnError"/> is taken.
    /// The code is that of the <see cref="FailStep"/> or of the activity's exception.
    /// </summary>
    public string? ErrorResult { get; init; }
}
