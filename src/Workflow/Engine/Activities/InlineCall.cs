using Workflow.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Engine.Activities;

/// <summary>Calls an inline activity within the transition. It is foreign code: any exception becomes the attempt's failure.</summary>
internal static class InlineCall
{
    public static (Value Result, ActivityFailure? Failure) Of(Activity activity, Value input, int maxSize)
    {
        try
        {
            var call = activity.InvokeAsync(input, CancellationToken.None);
            if (call.IsCompletedSuccessfully)
            {
                var result = call.GetAwaiter().GetResult();
                return StoreLimits.ValueProblem(result, maxSize) is { } problem
                    ? (Value.Null, new($"its result {problem}"))
                    : (result, null);
            }

            return (Value.Null, !call.IsCompleted ? new("it is registered as inline and did not complete synchronously")
                : call.AsTask().Exception?.GetBaseException() is { } error ? ActivityFailure.From(error) : new("it was cancelled"));
        }
        catch (Exception e)
        {
            return (Value.Null, ActivityFailure.From(e));
        }
    }
}

/// <summary>Why an attempt of an activity failed.</summary>
/// <param name="Message">The error's message.</param>
/// <param name="IsFinal">True when another attempt would fail as well.</param>
/// <param name="Code">What kind of error it is; null where the activity says nothing.</param>
internal sealed record ActivityFailure(string Message, bool IsFinal = false, string? Code = null)
{
    /// <summary>As it can be stored: an exception may say anything.</summary>
    public string Message { get; } = StoreLimits.Message(Message);

    public string? Code { get; } = Code is not null && StoreLimits.TextProblem(Code, StoreLimits.MaxName) is null ? Code : null;

    public static ActivityFailure From(Exception error) =>
        new(error.Message, error is NonRetryableActivityException, (error as NonRetryableActivityException)?.Code);
}
