using IntegrationTests.Shared.Faults;

namespace IntegrationTests.Cluster;

/// <summary>
/// Clients that start workflows and send each three signals, one after the other, and repeat with the same key what was
/// not acknowledged; every request and answer is recorded, and two listeners record the completions.
/// </summary>
internal sealed class ClusterLoad : IAsyncDisposable
{
    private const int Signals = 3;
    private const int Workers = 6;
    private static readonly TimeSpan Rest = TimeSpan.FromMilliseconds(10);

    private readonly ServiceCluster _cluster;
    private readonly string _definition;
    private readonly RequestHistory _history = new();
    private readonly CompletionLog[] _logs;
    private readonly CancellationTokenSource _enough = new();
    private readonly Task[] _workers;
    private int _calm = 1;
    private int _calms = 1;
    private int _cases;
    private string _owners;

    private ClusterLoad(ServiceCluster cluster, string definition, string owners, CompletionLog[] logs)
    {
        (_cluster, _definition, _owners, _logs) = (cluster, definition, owners, logs);
        _workers = [.. Enumerable.Range(0, Workers).Select(worker => Task.Run(() => WorkAsync(worker), Cancel))];
    }

    /// <summary>Workflows whose requests were all acknowledged.</summary>
    public int Cases => Volatile.Read(ref _cases);

    public static async Task<ClusterLoad> StartAsync(ServiceCluster cluster)
    {
        var definition = WebService.SampleDefinitions.NewName("three");
        await cluster.Nodes[0].Client.RegisterDefinitionAsync(ThreeSignals(definition), Cancel);
        var logs = await Task.WhenAll(cluster.Nodes.Select(node => CompletionLog.OpenAsync(node.BaseAddress)));
        return new(cluster, definition, await cluster.OwnersAsync(), logs);
    }

    /// <summary>From now on lanes may move.</summary>
    public async Task BeginFaultAsync()
    {
        Volatile.Write(ref _calm, 0);
        await EndCalmAsync();
    }

    /// <summary>Waits until all lanes are divided among all nodes, and work goes through on all of them.</summary>
    public async Task EndFaultAsync()
    {
        await _cluster.DividedAsync(_cluster.Nodes.Count);
        _owners = await _cluster.OwnersAsync();
        Volatile.Write(ref _calm, ++_calms);
        var before = Cases;
        await Eventually.BecomesAsync(
            () => Task.FromResult(Cases - before), done => done >= 2 * Workers,
            done => $"work to go on after a fault, {done} workflows did");
    }

    /// <summary>Time until a start on one of these lanes is acknowledged through that node.</summary>
    public async Task<TimeSpan> TakeoverAsync(IReadOnlyList<int> lanes, int survivor)
    {
        var since = Stopwatch.GetTimestamp();
        var key = _cluster.KeyIn(lanes, $"takeover{since}-");
        await StartAsync(key, survivor);
        var took = Stopwatch.GetElapsedTime(since);
        await SignalAsync(key, survivor);
        return took;
    }

    /// <summary>Ends the load, waits until all is at rest, and compares.</summary>
    public async Task AssertPromisesKeptAsync()
    {
        await _enough.CancelAsync();
        await Task.WhenAll(_workers);
        await EndCalmAsync();
        Assert.True(
            _history.Disturbed.Count < _calms,
            "Lanes moved in every stretch between two faults: the order was never looked at.");
        foreach (var log in _logs)
        {
            await log.CompletedAsync(Cases);
        }

        await _cluster.AssertSoundAsync();
        ListedInstance[] listed =
        [
            .. (await _cluster.ListAsync(_definition)).Select(
                instance => new ListedInstance(
                    instance.Id, instance.CorrelationKey, instance.State == InstanceState.Completed)),
        ];
        foreach (var log in _logs)
        {
            var violations = _history.Violations(listed, log.Completions);
            Assert.True(
                violations.Count == 0,
                $"{violations.Count} promises were broken: {string.Join('\n', violations.Take(20))}");
            Assert.Equal(0, log.Missed);
        }
    }

    public override string ToString() =>
        $"{Cases} workflows, {_history.Count} requests, "
        + $"{_calms - _history.Disturbed.Count} of {_calms} stretches without a lane that moved";

    public async ValueTask DisposeAsync()
    {
        await _enough.CancelAsync();
        await Task.WhenAll(_workers).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        foreach (var log in _logs)
        {
            await log.DisposeAsync();
        }

        _enough.Dispose();
    }

    /// <summary>
    /// What nodes say of themselves may be old: one that stood still for about a lease loses its lanes after it was
    /// asked. The store knows.
    /// </summary>
    private async Task EndCalmAsync()
    {
        if (await _cluster.OwnersAsync() != _owners)
        {
            _history.Disturbed.Add(_calms);
        }
    }

    private async Task WorkAsync(int worker)
    {
        for (var i = 0; !_enough.IsCancellationRequested; i++)
        {
            var (key, node) = ($"w{worker}-{i}", (worker + i) % _cluster.Nodes.Count);
            await StartAsync(key, node);
            await SignalAsync(key, node + i);
            await Task.Delay(Rest, Cancel);
        }
    }

    private Task StartAsync(string key, int node) =>
        RequestAsync(key, 0, node, async client => (await client.StartAsync(
        new StartInstance
            { Definition = _definition, CorrelationKey = key, Input = JsonSerializer.SerializeToElement(new { key }) },
        key, Cancel)).Id);

    private async Task SignalAsync(string key, int node)
    {
        for (var number = 1; number <= Signals; number++)
        {
            var payload = JsonSerializer.SerializeToElement(number);
            var signal = new SendSignal { Name = "item", CorrelationKey = key, Payload = payload };
            var idempotencyKey = $"{key}/{number}";
            await RequestAsync(
                key, number, node, async client => (await client.SignalAsync(signal, idempotencyKey, Cancel)).Id);
        }

        Interlocked.Increment(ref _cases);
    }

    /// <summary>Asks one node, and the next one each time one is gone or asks to come again.</summary>
    private async Task RequestAsync(string key, int number, int node, Func<WorkflowClient, Task<Guid>> send)
    {
        var request = _history.Begin(key, number);
        for (Guid? id = null; id is null; node++)
        {
            var asked = node % _cluster.Nodes.Count;
            var (calm, sent) = (Volatile.Read(ref _calm), Stopwatch.GetTimestamp());
            try
            {
                id = await send(_cluster.Nodes[asked].Client);
            }
            catch (Exception e) when (ServiceCluster.IsPassing(e))
            {
                await Task.Delay(Rest, Cancel);
            }

            request.Add(new(asked, Volatile.Read(ref _calm) == calm ? calm : 0, sent, Stopwatch.GetTimestamp(), id));
        }
    }

    private static string ThreeSignals(string name) => $$"""
        { "name": "{{name}}", "version": 1, "start": "first", "steps": {
          "first": { "type": "waitSignal", "signal": "item", "correlation": "= key", "result": "a", "next": "second" },
          "second": { "type": "waitSignal", "signal": "item", "correlation": "= key", "result": "b", "next": "third" },
          "third": { "type": "waitSignal", "signal": "item", "correlation": "= key", "result": "c", "next": "done" },
          "done": { "type": "end", "output": { "a": "= a", "b": "= b", "c": "= c" } } } }
        """;

    /// <summary>What one reader of the event stream sees, over all its reconnections.</summary>
    private sealed class CompletionLog : IAsyncDisposable
    {
        private static readonly EventStreamOptions Patient =
            new() { MaxFailuresInARow = 10_000, LongestPause = TimeSpan.FromMilliseconds(100) };

        private readonly EventStreamClient _client;
        private readonly CancellationTokenSource _stop = new();
        private readonly ConcurrentQueue<RecordedCompletion> _completions = new();
        private readonly ConcurrentDictionary<Guid, bool> _instances = new();
        private readonly Task _reading;

        private CompletionLog(EventStreamClient client)
        {
            _client = client;
            _reading = Task.Run(ReadAsync, Cancel);
        }

        public IReadOnlyCollection<RecordedCompletion> Completions => _completions;
        public long Missed => _client.Missed;

        public static async Task<CompletionLog> OpenAsync(Uri baseAddress)
        {
            var log = new CompletionLog(new EventStreamClient(baseAddress, Patient));
            await log._client.Connected.WaitAsync(Eventually.Deadline, Cancel);
            return log;
        }

        public async Task CompletedAsync(int instances)
        {
            await Eventually.BecomesAsync(
                () => Task.FromResult(_instances.Count), count => count >= instances || _reading.IsCompleted,
                count => $"{instances} completions, {count} came");
            if (_reading.IsCompleted)
            {
                await _reading;
            }
        }

        public async ValueTask DisposeAsync()
        {
            await _stop.CancelAsync();
            await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _client.Dispose();
            _stop.Dispose();
        }

        private async Task ReadAsync()
        {
            await foreach (var received in _client.ReadAsync(_stop.Token))
            {
                if (received.Event is InstanceCompleted completed)
                {
                    var output = completed.Output!.Value;
                    int[] taken = [.. new[] { "a", "b", "c" }.Select(name => output.GetProperty(name).GetInt32())];
                    _completions.Enqueue(
                        new(
                            completed.Id, completed.InstanceId!.Value, completed.CorrelationKey!,
                            taken, received.ReceivedTicks));
                    _instances[completed.InstanceId.Value] = true;
                }
            }
        }
    }
}
