using IntegrationTests.Shared.Faults;
using IntegrationTests.WebService;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Engine.Configuration;

namespace IntegrationTests.PostgreSql;

/// <summary>A server that crashes, stays away, cuts connections or has its clock set back during work.</summary>
[Trait("Category", "Integration")]
public sealed class PostgresOutageTests(BackendFixture backends) : IAsyncLifetime
{
    /// <summary>The longest wait of a probe: the service's two seconds, and a reserve for a busy machine.</summary>
    private static readonly TimeSpan s_probe = TimeSpan.FromSeconds(30);

    /// <summary>The longest wait of a caller: the engine's ten seconds, and a reserve for a busy machine.</summary>
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private PostgresServer? _own;
    private PostgresStoreOptions? _options;

    private PostgresServer Server => _own ?? throw new InvalidOperationException("The test has not been initialised.");
    private PostgresStoreOptions Options =>
        _options ?? throw new InvalidOperationException("The test has not been initialised.");

    public async ValueTask InitializeAsync()
    {
        await backends.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var binaries = PostgresBinaries.Find();
        Assert.SkipWhen(
            binaries is null,
            "The server is an external one, and no installed binaries were found to start "
                + "another that may be stopped.");
        _own = await PostgresServer.StartNativeAsync(binaries, inMemory: true, cancellationToken: Cancel);
        _options = new() { ConnectionString = await _own.CreateDatabaseAsync("outage", Cancel) };
    }

    public async ValueTask DisposeAsync()
    {
        if (_own is not null)
        {
            await _own.DisposeAsync();
        }
    }

    [Fact]
    public async Task Clock_set_back_revives_no_dead_node()
    {
        await using var store = new PostgresStore(Options);
        await store.OpenAsync(Cancel);
        var (shortly, lease) = (TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(15));
        string[] names = ["dead", "dies", "lives", "looks"];
        NodeIdentity[] nodes = [.. names.Select(name => new NodeIdentity(Guid.CreateVersion7(), name))];
        for (var lane = 0; lane < nodes.Length; lane++)
        {
            var its = lane == 0 ? shortly : lease;
            await store.Cluster.JoinAsync(nodes[lane], nodes.Length, its, Cancel);
            Assert.Single(await store.Cluster.ClaimAsync(nodes[lane].Id, [lane], its, Cancel));
        }

        var looks = nodes[^1].Id;
        await Eventually.BecomesAsync(
            () => store.Cluster.RenewAsync(looks, lease, Cancel), view => view.Lanes[0].Left <= TimeSpan.Zero,
            view => $"a node that does not renew to be dead: {view.Lanes[0]}");
        await store.Cluster.RenewAsync(looks, lease, Cancel);
        await Statements.ScalarAsync(
            Options.ConnectionString,
            $"""
            update {Options.Schema}.nodes set until_utc = until_utc + interval '1 hour',
              renewed_utc = renewed_utc + interval '1 hour';
            update {Options.Schema}.leases set until_utc = until_utc + interval '1 hour',
              renewed_utc = renewed_utc + interval '1 hour'
            """);

        var at = await store.Cluster.RenewAsync(looks, lease, Cancel);
        Assert.Equal(["dies", "lives", "looks"], at.Nodes.Where(n => n.IsLive).Select(n => n.Name));
        Assert.Equal(TimeSpan.Zero, at.Lanes[0].Left);
        Assert.All(at.Lanes.Skip(1), lane => Assert.InRange(lane.Left, TimeSpan.Zero, lease));
        Assert.Equal([0], await store.Cluster.ClaimAsync(looks, [0, 1, 2], lease, Cancel));

        await Eventually.BecomesAsync(
            async () =>
            {
                await Task.Delay(shortly, Cancel);
                await store.Cluster.RenewAsync(nodes[2].Id, lease, Cancel);
                return await store.Cluster.RenewAsync(looks, lease, Cancel);
            },
            view => view.Lanes[1].Left <= TimeSpan.Zero,
            _ => "the lease of a node that died while the clock was set to end after its time");
        Assert.Equal([1], await store.Cluster.ClaimAsync(looks, [0, 1, 2], lease, Cancel));
    }

    [Theory]
    [InlineData(1), InlineData(2)]
    public async Task Server_crash_under_load_loses_nothing_acknowledged(int lanes)
    {
        const int Count = 400;
        await using var engine = await StartAsync(lanes, TimeSpan.FromSeconds(60));
        await engine.RegisterAsync(Definitions.WaitForGo);
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        var load = LoadAsync(engine, Count, workers: 8, n => _ = n == Count / 4 && reached.TrySetResult());
        await reached.Task.WaitAsync(Eventually.Deadline, Cancel);
        await Server.StopImmediateAsync(Cancel);
        await Server.Host.StartAgainAsync(Cancel);
        await load;

        await AssertEachOnceAsync(engine, Count);
        Assert.True(engine.Engine.Statistics.FailedFlushes > 0);
    }

    [Fact]
    public async Task Server_outage_past_tolerance_is_reported_and_recovers()
    {
        await using var engine = await StartAsync(2, TimeSpan.FromSeconds(1));
        await engine.RegisterAsync(Definitions.WaitForGo);
        var before = await engine.StartAsync("waitForGo", """{ "id": "a" }""", idempotencyKey: "before");
        await Server.StopImmediateAsync(Cancel);

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() =>
            engine.StartAsync("waitForGo", """{ "id": "b" }""", "same lane", "during"));
        Assert.True(error.OutcomeUnknown);
        Assert.DoesNotContain(
            new NpgsqlConnectionStringBuilder(Options.ConnectionString).Password!,
            error.ToString(),
            StringComparison.Ordinal);

        await Server.Host.StartAgainAsync(Cancel);
        var during = await UntilAvailableAsync(
            () => engine.StartAsync("waitForGo", """{ "id": "b" }""", "same lane", "during"));
        await UntilAvailableAsync(() => engine.SignalAsync("go", "a", "1", "signal a"));
        await UntilAvailableAsync(() => engine.SignalAsync("go", "b", "2", "signal b"));
        Assert.Equal("1", await engine.OutputAsync(before.Id));
        Assert.Equal("2", await engine.OutputAsync(during.Id));
        Assert.Equal(2, (await engine.Engine.ListInstancesAsync(new(), Cancel)).Items.Count);
    }

    [Fact]
    public async Task Commands_to_a_hung_server_end_in_time_and_count_once()
    {
        await using var service = await WebServiceProcess.StartAsync(
            new WebServiceOptions { Provider = "Postgres", ConnectionString = Options.ConnectionString }, Cancel);
        var name = await service.Client.RegisterNewAsync(definition => SampleDefinitions.Linear(definition));
        using var http = new HttpClient { BaseAddress = service.BaseAddress };
        using (var before = await StartAsync("before"))
        {
            Assert.Equal(HttpStatusCode.Created, before.StatusCode);
        }

        var goOn = await StandStill.BeginAsync(Server.Host.ProcessId!.Value);
        try
        {
            var during = StartAsync("during");
            for (var probe = 0; probe < 5; probe++)
            {
                using var ready = await http.GetAsync(new Uri("/health/ready", UriKind.Relative), Cancel)
                    .WaitAsync(s_probe, Cancel);
                Assert.Equal(HttpStatusCode.ServiceUnavailable, ready.StatusCode);
            }

            using var unknown = await during.WaitAsync(s_patience, Cancel);
            var problem = await Answer.IsProblemAsync(unknown, 503, "store-unavailable", "same Idempotency-Key");
            Assert.True(problem.GetProperty("outcomeUnknown").GetBoolean());
            using var next = await StartAsync("next").WaitAsync(s_probe, Cancel);
            await Answer.IsProblemAsync(next, 503, "store-unavailable");
        }
        finally
        {
            await goOn();
        }

        foreach (var key in new[] { "before", "during", "next" })
        {
            await Eventually.BecomesAsync(
                async () =>
                {
                    using var again = await StartAsync(key);
                    return again.StatusCode;
                },
                status => status == HttpStatusCode.Created,
                status => $"a start to be accepted again; it was answered {status}");
        }

        Assert.Equal(3, (await service.Client.ListInstancesAsync(name, cancellationToken: Cancel)).Items.Count);

        async Task<HttpResponseMessage> StartAsync(string key)
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, new Uri("/instances", UriKind.Relative));
            request.Headers.Add("Idempotency-Key", key);
            request.Content = Answer.Json($$"""{ "definition": "{{name}}", "input": { "price": 1, "quantity": 1 } }""");
            return await http.SendAsync(request, Cancel);
        }
    }

    [Fact]
    public async Task Reads_after_a_server_restart_ignore_stale_connections()
    {
        await using var engine = await StartAsync(1, TimeSpan.FromSeconds(60));
        await engine.RegisterAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", """{ "id": "a" }""");
        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => engine.ViewAsync(started.Id)));

        await Server.StopImmediateAsync(Cancel);
        await Server.Host.StartAgainAsync(Cancel);

        for (var read = 0; read < 8; read++)
        {
            Assert.Equal(started.Id, (await engine.ViewAsync(started.Id)).Id);
        }
    }

    [Fact]
    public async Task Repeatedly_cut_connections_lose_nothing()
    {
        const int Count = 400;
        await using var engine = await StartAsync(2, TimeSpan.FromSeconds(60));
        await engine.RegisterAsync(Definitions.WaitForGo);

        // Cuts every session of the engine, that of its leases included, each time another part of the load is done.
        var cuts = new ConcurrentQueue<Task>();
        await LoadAsync(engine, Count, workers: 8, n =>
        {
            if (n % 50 == 0)
            {
                cuts.Enqueue(CutAsync());
            }
        });
        await Task.WhenAll(cuts);

        await AssertEachOnceAsync(engine, Count);
        Assert.True(engine.Engine.Statistics.FailedFlushes > 0);
    }

    private Task<EngineSession> StartAsync(int lanes, TimeSpan tolerance) =>
        EngineSession.StartAsync(
            new PostgresStore(Options), new WorkflowEngineOptions { Lanes = lanes, OutageTolerance = tolerance });

    /// <summary>Starts and signals each instance, repeating with its key while the outcome is unknown.</summary>
    private static async Task LoadAsync(EngineSession engine, int count, int workers, Action<int> acknowledged)
    {
        var next = -1;
        var done = 0;
        await Task.WhenAll(Enumerable.Range(0, workers).Select(async _ =>
        {
            while (Interlocked.Increment(ref next) is var i && i < count)
            {
                var started = await UntilAvailableAsync(() =>
                    engine.StartAsync("waitForGo", $$"""{ "id": "c{{i}}" }""", null, $"start {i}"));
                Assert.NotEqual(Guid.Empty, started.Id);
                await UntilAvailableAsync(() => engine.SignalAsync("go", $"c{i}", $"{i}", $"signal {i}"));
                acknowledged(Interlocked.Increment(ref done));
            }
        }));
    }

    private static async Task<T> UntilAvailableAsync<T>(Func<Task<T>> request)
    {
        for (var attempt = 0; ; attempt++)
        {
            try
            {
                return await request();
            }
            catch (StoreUnavailableException) when (attempt < 1_200)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(50), Cancel);
            }
        }
    }

    private static async Task AssertEachOnceAsync(EngineSession engine, int count)
    {
        var completed = await engine.Events.WaitAsync<InstanceCompleted>(count, _ => true, Cancel);
        await engine.IdleAsync();
        Assert.Equal(Enumerable.Range(0, count), completed.Select(e => e.Output!.Value.GetInt32()).Order());
        var seen = engine.Events.Seen;
        Assert.Equal(count, seen.Count);
        Assert.Equal(count, seen.Select(e => e.Event.Id).Distinct().Count());
        var statistics = engine.Engine.Statistics;
        Assert.Equal(
            (count, count, 0, 0),
            (statistics.Started, statistics.Completed, statistics.LiveInstances, statistics.BufferedSignals));
    }

    private Task CutAsync() => Statements.ScalarAsync(
        Options.ConnectionString,
        "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = "
            + "current_database() and application_name = "
        + "'workflow-engine'");
}
