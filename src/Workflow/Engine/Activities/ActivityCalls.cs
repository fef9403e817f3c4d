using Workflow.Abstractions.Activities;

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

/// <summary>An activity has returned or failed. It counts as running until that is committed.</summary>
internal sealed class ActivityLaneCommand(Guid instanceId, Guid waitId, Value result, ActivityFailure? failure, Action? done = null)
    : LaneCommand
{
    private bool _isRefused;

    public bool IsFailure => failure is not null;
    public override Guid SubjectId => waitId;
    public override long Size => result.Weight;
    public override string Description => $"activity result for instance {instanceId}";
    public override bool CanDeadLetter => true;

    /// <summary>The same result as a failure, because it cannot be stored.</summary>
    public ActivityLaneCommand Refused(string message) =>
        new(instanceId, waitId, result, new(message, IsFinal: true), done) { _isRefused = true };

    /// <summary>The dead letter holds the activity's own result, not the refusal.</summary>
    public override void DeadLetter(LaneContext lane, Guid deadLetterId, string reason, int attempts) =>
        lane.Handler<ActivityHandler>().DeadLetter(
            instanceId, waitId, failure is null || _isRefused ? result : null, _isRefused ? null : failure, deadLetterId, reason, attempts);

    public override void Apply(LaneContext lane) => lane.Handler<ActivityHandler>().Finish(instanceId, waitId, result, failure);
    public override void Acknowledge() => done?.Invoke();
    public override void Fail(Exception error) => done?.Invoke();
}

/// <summary>How many activities run at a time on a node; the others are called in the order of their launches. Thread-safe.</summary>
internal sealed class ActivitySlots(int count)
{
    private readonly Lock _gate = new();
    private readonly Queue<Func<bool>> _waiting = new();
    private int _running;

    public int Running
    {
        get
        {
            lock (_gate)
            {
                return _running;
            }
        }
    }

    public int Waiting
    {
        get
        {
            lock (_gate)
            {
                return _waiting.Count;
            }
        }
    }

    /// <summary>Calls an activity, now or when its turn comes.</summary>
    /// <param name="tryCall">Calls it, with <see cref="End"/> when that is over; or returns false, as it is not needed any more.</param>
    public void Begin(Func<bool> tryCall)
    {
        lock (_gate)
        {
            if (_running == count)
            {
                _waiting.Enqueue(tryCall);
                return;
            }

            _running++;
        }

        if (!tryCall())
        {
            End();
        }
    }

    /// <summary>A call is over: the next one's turn.</summary>
    public void End()
    {
        Func<bool>? next;
        do
        {
            lock (_gate)
            {
                if (!_waiting.TryDequeue(out next))
                {
                    _running--;
                    return;
                }
            }
        }
        while (!next());
    }
}
