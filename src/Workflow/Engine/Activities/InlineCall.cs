using Workflow.Abstractions.Activities;

namespace Workflow.Engine.Activities;

/// <summary>Calls an inline activity within the transition. Any exception becomes the failure of the attempt.</summary>
internal static class InlineCall
{
    public static (Value Result, ActivityFailure? Failure) Invoke(Activity activity, Value input, int maxSize)
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
