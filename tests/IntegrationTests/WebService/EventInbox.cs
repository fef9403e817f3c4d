namespace IntegrationTests.WebService;

/// <summary>Listens to a service in the background and lets a test wait for an event.</summary>
internal sealed class EventInbox : IAsyncDisposable
{
    private readonly EventStreamClient _client;
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentQueue<ReceivedEvent> _received = new();
    private readonly SemaphoreSlim _changed = new(0);
    private readonly Task _reading;

    private EventInbox(EventStreamClient client)
    {
        _client = client;
        _reading = Task.Run(ReadAsync);
    }

    public IReadOnlyCollection<ReceivedEvent> Received => _received;
    public EventStreamClient Client => _client;

    /// <summary>Returns once the service has confirmed that it listens.</summary>
    public static async Task<EventInbox> OpenAsync(
        Uri baseAddress, EventStreamOptions? options, CancellationToken cancellationToken)
    {
        var inbox = new EventInbox(new EventStreamClient(baseAddress, options));
        await inbox._client.Connected.WaitAsync(Eventually.Deadline, cancellationToken);
        return inbox;
    }

    /// <summary>The first event that fits, of those that came and those to come.</summary>
    public async Task<ReceivedEvent> WaitForAsync(Func<ReceivedEvent, bool> fits, CancellationToken cancellationToken)
    {
        using var deadline = new CancellationTokenSource(Eventually.Deadline);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(deadline.Token, cancellationToken);
        while (true)
        {
            if (_received.FirstOrDefault(fits) is { } found)
            {
                return found;
            }

            if (_reading.IsFaulted)
            {
                await _reading;
            }

            try
            {
                await _changed.WaitAsync(either.Token);
            }
            catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                throw new TimeoutException(
                    $"The event did not come within {Eventually.Deadline.TotalSeconds} s. What came: "
                    + $"{string.Join(", ", _received.Select(e => $"{e.Position} {e.Event.Type}"))}.");
            }
        }
    }

    /// <summary>Waits until each of the instances has completed; none has twice, and no other has.</summary>
    public async Task AssertCompletedOnceAsync(IReadOnlyCollection<Guid> instances)
    {
        foreach (var id in instances)
        {
            await WaitForAsync(e => e.Event is InstanceCompleted && e.Event.InstanceId == id, Cancel);
        }

        var completed = _received.Select(e => e.Event).OfType<InstanceCompleted>().DistinctBy(e => e.Id);
        Assert.Equal(instances.Order(), completed.Select(e => e.InstanceId!.Value).Order());
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _client.Dispose();
        _stop.Dispose();
        _changed.Dispose();
    }

    private async Task ReadAsync()
    {
        try
        {
            await foreach (var received in _client.ReadAsync(_stop.Token))
            {
                _received.Enqueue(received);
                _changed.Release();
            }
        }
        finally
        {
            _changed.Release();
        }
    }
}
