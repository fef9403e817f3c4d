namespace IntegrationTests.WebService;

/// <summary>Acknowledged work survives <c>kill -9</c> of the service, on a real PostgreSQL.</summary>
[Trait("Category", "Integration")]
public sealed class DurabilityTests(BackendFixture backends)
{
    private const int Callers = 8;
    private const int AcknowledgedBeforeKill = 40;

    private static readonly EventStreamOptions Patient =
        new() { MaxFailuresInARow = 1000, LongestPause = TimeSpan.FromMilliseconds(100) };

    [Fact]
    public async Task Kill_between_start_and_signal_loses_no_start()
    {
        await using var service = await StartServiceAsync("start");
        var name = await service.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        await using var inbox = await EventInbox.OpenAsync(service.BaseAddress, Patient, Cancel);
        var starts = new ConcurrentDictionary<string, Guid?>();

        var sent = 0;
        await UntilKilledAsync(
            service, starts, () => $"{Interlocked.Increment(ref sent)}", key => StartAsync(service, name, key));
        await service.RestartAsync(Cancel);

        await Task.WhenAll(starts.Select(async start =>
        {
            // Those whose answer the kill swallowed are repeated: the key makes that safe whether or not they had been
            // committed.
            var (key, id) = start;
            var again = await StartAsync(service, name, key);
            Assert.True(
                id is null || id == again, $"The start {key} was acknowledged as {id}; after the kill it is {again}.");
            starts[key] = again;
            await ResumeAsync(service, key);
        }));

        await AssertCompletedOnceAsync(service, name, inbox, starts);
    }

    [Fact]
    public async Task Kill_before_completion_loses_no_signal()
    {
        await using var service = await StartServiceAsync("signal");
        var name = await service.Client.RegisterNewAsync(WaitingThenPausing);
        await using var inbox = await EventInbox.OpenAsync(service.BaseAddress, Patient, Cancel);
        var instances = new ConcurrentDictionary<string, Guid?>();
        var all = Enumerable.Range(0, AcknowledgedBeforeKill * 4).Select(i => $"{name}-{i}");
        await Task.WhenAll(all.Select(async key => instances[key] = await StartAsync(service, name, key)));

        var signals = new ConcurrentDictionary<string, Guid?>();
        var keys = new ConcurrentQueue<string>(instances.Keys);
        await UntilKilledAsync(
            service,
            signals,
            () => keys.TryDequeue(out var key) ? key : null,
            async key => (await ResumeAsync(service, key)).Id);
        await service.RestartAsync(Cancel);

        await Task.WhenAll(instances.Keys.Select(key => ResumeAsync(service, key)));
        await AssertCompletedOnceAsync(service, name, inbox, instances);
    }

    [Fact]
    public async Task Kill_before_due_time_loses_no_delayed_signal()
    {
        await using var service = await StartServiceAsync(
            "delayed", new Dictionary<string, string> { ["SignalReceivers:0"] = "burst" });
        await using var inbox = await EventInbox.OpenAsync(service.BaseAddress, Patient, Cancel);
        var dueAt = TimeProvider.System.GetUtcNow().AddSeconds(2);
        var keys = Enumerable.Range(0, AcknowledgedBeforeKill).Select(i => $"burst-{i}").ToArray();
        await Task.WhenAll(keys.Select(key =>
            service.Client.SignalAsync(
                new SendSignal { Name = "burst", CorrelationKey = key, DueAt = dueAt }, cancellationToken: Cancel)));

        await service.KillAsync(Cancel);
        await service.RestartAsync(Cancel);

        foreach (var key in keys)
        {
            var received = await inbox.WaitForAsync(
                e => e.Event is SignalReceived && e.Event.CorrelationKey == key, Cancel);
            Assert.True(received.Event.Timestamps.ExecutedUtc >= dueAt);
        }

        Assert.Equal(
            keys.Length,
            inbox.Received.Select(e => e.Event).OfType<SignalReceived>().Select(e => e.Id).Distinct().Count());
    }

    /// <summary>
    /// The leases of the killed process hold its lanes for a while, and half of them are not claimed before.
    /// </summary>
    [Fact]
    public async Task Service_is_ready_after_a_kill_when_it_serves_every_lane()
    {
        await using var service = await StartServiceAsync("ready", lanes: 8);
        await service.KillAsync(Cancel);

        await service.RestartAsync(Cancel);
        await Eventually.BecomesAsync(
            async () =>
            {
                try
                {
                    await service.Client.EnsureReadyAsync(Cancel);
                    return true;
                }
                catch (WorkflowApiException e) when (e.Code == "not-ready")
                {
                    Assert.Matches("^The engine is starting: [0-7] of 8 lanes are served", e.Detail);
                    return false;
                }
            },
            isReady => isReady,
            _ => "the service is ready");

        using var http = new HttpClient { BaseAddress = service.BaseAddress };
        var ready = JsonDocument.Parse(
            await http.GetStringAsync(new Uri("/health/ready", UriKind.Relative), Cancel)).RootElement;
        Assert.Equal(8, ready.GetProperty("ownedLanes").GetArrayLength());
    }

    [Fact]
    public async Task Server_outage_loses_nothing_acknowledged()
    {
        await backends.Catalog.RequireOrSkipAsync("postgres", Cancel);
        Assert.SkipUnless(PostgresBinaries.Find() is not null,
            "This test stops a server of its own; that needs installed PostgreSQL binaries "
                + "(apt-get install postgresql).");
        await using var server = await PostgresServer.StartNativeAsync(
            PostgresBinaries.Find()!, inMemory: true, cancellationToken: Cancel);
        var options = new WebServiceOptions
        {
            Provider = "Postgres", ConnectionString = await server.CreateDatabaseAsync("outage", Cancel),
        };
        await using var service = await WebServiceProcess.StartAsync(options, Cancel);
        var name = await service.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var before = await StartAsync(service, name, "before");

        await server.StopImmediateAsync(Cancel);
        var read = await Assert.ThrowsAsync<WorkflowApiException>(
            () => service.Client.FindInstanceAsync(before, Cancel));
        var ready = await Assert.ThrowsAsync<WorkflowApiException>(() => service.Client.EnsureReadyAsync(Cancel));
        var during = RepeatAsync(() => StartAsync(service, name, "during"));
        await server.Host.StartAgainAsync(Cancel);
        var started = await during;

        Assert.Equal(("store-unavailable", 503), (read.Code, (int)read.Status));
        Assert.NotNull(read.RetryAfter);
        Assert.DoesNotContain("127.0.0.1", read.Message + ready.Message, StringComparison.Ordinal);
        Assert.Equal("not-ready", ready.Code);
        Assert.Equal(InstanceState.Waiting, (await service.Client.FindInstanceAsync(before, Cancel))?.State);
        Assert.Equal(InstanceState.Waiting, (await service.Client.FindInstanceAsync(started, Cancel))?.State);
        Assert.Equal(2, (await service.Client.ListInstancesAsync(name, cancellationToken: Cancel)).Items.Count);
        await service.Client.EnsureReadyAsync(Cancel);
    }

    private async Task<WebServiceProcess> StartServiceAsync(
        string database, IReadOnlyDictionary<string, string>? settings = null, int lanes = 2)
    {
        await backends.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var server = await backends.Catalog.PostgresAsync(Cancel);
        var options = new WebServiceOptions
        {
            Provider = "Postgres",
            ConnectionString = await server.CreateDatabaseAsync("durability_" + database, Cancel),
            Lanes = lanes,
            Settings = settings ?? new Dictionary<string, string>(),
        };
        return await WebServiceProcess.StartAsync(options, Cancel);
    }

    /// <summary>
    /// Without a key, instance and subscription lie in different partitions, and a kill may fall between.
    /// </summary>
    private static async Task<Guid> StartAsync(
        WebServiceProcess service, string definition, string key) => (await service.Client.StartAsync(
        new StartInstance { Definition = definition, Input = JsonSerializer.SerializeToElement(new { key }) },
        key,
        Cancel)).Id;

    private static Task<SignalAccepted> ResumeAsync(WebServiceProcess service, string key) =>
        service.Client.SignalAsync(new SendSignal { Name = "resume", CorrelationKey = key }, key, Cancel);

    /// <summary>
    /// Sends from several callers at once. The last needed answer kills the service during the others.
    /// </summary>
    /// <param name="next">The key of the next request; null when there are no more.</param>
    private static async Task UntilKilledAsync(
        WebServiceProcess service,
        ConcurrentDictionary<string, Guid?> acknowledged, Func<string?> next, Func<string, Task<Guid>> send)
    {
        var count = 0;
        var callers = Enumerable.Range(0, Callers).Select(async _ =>
        {
            // On a busy machine the kill may come late: the others leave some keys, and the killer sends one more.
            var isKiller = false;
            while ((isKiller || Volatile.Read(ref count) < 2 * AcknowledgedBeforeKill) && next() is { } key)
            {
                acknowledged[key] = null;
                try
                {
                    acknowledged[key] = await send(key);
                }
                catch (HttpRequestException)
                {
                    return;
                }

                if (Interlocked.Increment(ref count) == AcknowledgedBeforeKill)
                {
                    isKiller = true;
                    await service.KillAsync(Cancel);
                }
            }
        }).ToArray();

        await Task.WhenAll(callers).WaitAsync(Eventually.Deadline, Cancel);
        Assert.True(acknowledged.Values.Count(id => id is not null) >= AcknowledgedBeforeKill);
        Assert.Contains(acknowledged.Values, id => id is null);
    }

    private static async Task AssertCompletedOnceAsync(
        WebServiceProcess service, string name, EventInbox inbox, IReadOnlyDictionary<string, Guid?> instances)
    {
        await inbox.AssertCompletedOnceAsync([.. instances.Values.Select(id => id!.Value)]);
        var listed = (await service.Client.ListInstancesAsync(name, limit: 1000, cancellationToken: Cancel)).Items;
        Assert.Equal(instances.Values.Order(), listed.Select(i => (Guid?)i.Id).Order());
        Assert.All(listed, i => Assert.Equal(InstanceState.Completed, i.State));
        Assert.True(inbox.Client.Reconnections >= 1);
    }

    /// <summary>As the answer asks: again after the time it names, with the same key.</summary>
    private static async Task<Guid> RepeatAsync(Func<Task<Guid>> send)
    {
        while (true)
        {
            try
            {
                return await send();
            }
            catch (WorkflowApiException e) when (e.RetryAfter is { } pause)
            {
                await Task.Delay(pause, Cancel);
            }
        }
    }

    /// <summary>The signal is acknowledged well before the completion, so that a kill in between finds some.</summary>
    private static string WaitingThenPausing(string name) => $$"""
        { "name": "{{name}}", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "resume", "correlation": "= key", "next": "pause" },
          "pause": { "type": "delay", "duration": "PT1S", "next": "done" },
          "done": { "type": "end" } } }
        """;
}
