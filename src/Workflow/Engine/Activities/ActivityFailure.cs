namespace Workflow.Engine.Activities;

/// <summary>Why an attempt of an activity failed.</summary>
/// <param name="IsFinal">True if another attempt would fail as well.</param>
/// <param name="Code">The kind of error; null if the activity does not specify it.</param>
internal sealed record ActivityFailure(string Message, bool IsFinal = false, string? Code = null)
{
    /// <summary>The message in a form that can be stored: an exception may contain any text.</summary>
    public string Message { get; } = StoreLimits.Message(Message);

    public string? Code { get; } =
        Code is not null && StoreLimits.TextProblem(Code, StoreLimits.MaxName) is null ? Code : null;

    public InstanceError ToError(string step) => new(Message, step, Code: Code);

    public static ActivityFailure From(Exception error) =>
        new(error.Message, error is NonRetryableActivityException, (error as NonRetryableActivityException)?.Code);
}
