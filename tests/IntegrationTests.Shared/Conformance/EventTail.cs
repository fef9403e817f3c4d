namespace IntegrationTests.Shared.Conformance;

/// <summary>Follows an engine's event stream and lets a test wait for an event with a deadline.</summary>
public sealed class EventTail : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly List<PositionedEvent> _seen = [];
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _following;
    private TaskCompletionSource _more = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public EventTail(IWorkflowEngine engine, EventPosition after) =>
        _following = FollowAsync(engine.ReadEventsAsync(after, _stop.Token));

    /// <summary>Everything seen so far, in order of arrival.</summary>
    public IReadOnlyList<PositionedEvent> Seen
    {
        get
        {
            lock (_gate)
            {
                return [.. _seen];
            }
        }
    }

    /// <summary>The events of one type seen so far.</summary>
    public IReadOnlyList<T> Of<T>()
        where T : IntegrationEvent => [.. Seen.Select(e => e.Event).OfType<T>()];

    /// <summary>Waits until enough events of a type fulfil a condition, and returns them.</summary>
    public async Task<IReadOnlyList<T>> WaitAsync<T>(
        int count, Func<T, bool> wanted, CancellationToken cancellationToken)
        where T : IntegrationEvent
    {
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        deadline.CancelAfter(Eventually.Deadline);
        while (true)
        {
            Task more;
            lock (_gate)
            {
                var found = _seen.Select(e => e.Event).OfType<T>().Where(wanted).ToArray();
                if (found.Length >= count)
                {
                    return found;
                }

                more = _more.Task;
            }

            var ended = await Task.WhenAny(more.WaitAsync(deadline.Token), _following);
            if (ended.IsCanceled || ended == _following)
            {
                Assert.Fail(
                    $"Waited {Eventually.Deadline.TotalSeconds} s in vain for {count} x {typeof(T).Name}; "
                    + "the stream gave: "
                    + $"{string.Join(", ", Seen.Select(e => $"{e.Event.Type} {e.Event.InstanceId}"))}. "
                    + $"{_following.Exception}");
            }
        }
    }

    /// <summary>Waits for the end of an instance.</summary>
    public async Task<InstanceCompleted> CompletedAsync(Guid instance, CancellationToken cancellationToken) =>
        (await WaitAsync<InstanceCompleted>(1, e => e.InstanceId == instance, cancellationToken))[0];

    /// <summary>Waits for the failure of an instance.</summary>
    public async Task<InstanceFailed> FailedAsync(Guid instance, CancellationToken cancellationToken) =>
        (await WaitAsync<InstanceFailed>(1, e => e.InstanceId == instance, cancellationToken))[0];

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _following.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task FollowAsync(IAsyncEnumerable<PositionedEvent> events)
    {
        await foreach (var next in events)
        {
            TaskCompletionSource more;
            lock (_gate)
            {
                _seen.Add(next);
                more = _more;
                _more = new(TaskCreationOptions.RunContinuationsAsynchronously);
            }

            more.SetResult();
        }
    }
}
