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

            if (!call.IsCompleted)
            {
                return (Value.Null, new("it is registered as inline and did not complete synchronously"));
            }

            var error = call.AsTask().Exception?.GetBaseException();
            return (Value.Null, error is null ? new("it was cancelled") : ActivityFailure.From(error));
        }
        catch (Exception e)
        {
            return (Value.Null, ActivityFailure.From(e));
        }
    }
}
