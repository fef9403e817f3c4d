using System.Security.Cryptography;
using IntegrationTests.WebService;

namespace IntegrationTests.Cluster;

/// <summary>Two processes on one PostgreSQL: takeover, fencing, signals at non-owners.</summary>
[Trait("Category", "Extended")]
public sealed class ServiceClusterTests(BackendFixture backends, ITestOutputHelper output)
{
    private static readonly EventStreamOptions Patient =
        new() { MaxFailuresInARow = 1000, LongestPause = TimeSpan.FromMilliseconds(100) };

    /// <summary>For tests in which every node keeps its lanes.</summary>
    private static readonly Dictionary<string, string> Steady =
        new() { [ServiceCluster.Lease] = ServiceCluster.LongestLease };

    [Fact]
    [JudgesRealTime]
    public Task Lanes_of_a_killed_node_move_within_three_seconds() =>
        RealTime.HoldsAsync(async () =>
        {
            await using var cluster = await ServiceCluster.StartAsync(backends, nodes: 2, lanes: 4);
            var name = await cluster.Nodes[0].Client.RegisterNewAsync(SampleDefinitions.Waiting);
            var (victim, survivor) = (cluster.Nodes[0], cluster.Nodes[1]);
            var lost = await cluster.OwnedAsync(victim);
            await using var inbox = await EventInbox.OpenAsync(survivor.BaseAddress, Patient, Cancel);
            var keys = Enumerable.Range(0, 40).Select(i => $"t{i}").ToArray();
            var started = await Task.WhenAll(keys.Select((key, i) => StartAsync(cluster, i, name, key)));

            await victim.KillAsync(Cancel);
            var since = Stopwatch.GetTimestamp();
            await survivor.Client.StartAsync(Request(name, cluster.KeyIn(lost, "probe")), cancellationToken: Cancel);
            var takeover = Stopwatch.GetElapsedTime(since);

            output.WriteLine($"takeover after kill -9: {takeover.TotalMilliseconds:0} ms");
            Assert.True(takeover < TimeSpan.FromSeconds(3), $"The takeover took {takeover.TotalMilliseconds:0} ms.");
            await Task.WhenAll(keys.Select(key => survivor.Client.SignalAsync(Resume(key), key, Cancel)));
            await inbox.AssertCompletedOnceAsync(started);
            await cluster.AssertSoundAsync();
        });

    [Fact]
    public async Task Owner_paused_past_its_lease_is_fenced()
    {
        await using var cluster = await ServiceCluster.StartAsync(backends, nodes: 2, lanes: 4);
        var name = await cluster.Nodes[0].Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var (sleeper, other) = (cluster.Nodes[0], cluster.Nodes[1]);
        var lost = await cluster.OwnedAsync(sleeper);
        await using var inbox = await EventInbox.OpenAsync(other.BaseAddress, Patient, Cancel);
        var keys = Enumerable.Range(0, 20).Select(i => cluster.KeyIn(lost, $"z{i}-")).ToArray();
        var started = await Task.WhenAll(keys.Select(key => StartAsync(cluster, 0, name, key)));

        await sleeper.PauseAsync(Cancel);

        // Its kernel takes the requests; the process sees them when it goes on, and its lanes are with the other node
        // by then.
        var late = keys.Take(10).Select(key => sleeper.Client.SignalAsync(Resume(key), key, Cancel)).ToArray();
        await other.Client.StartAsync(Request(name, cluster.KeyIn(lost, "probe")), cancellationToken: Cancel);
        await Task.WhenAll(keys.Skip(5).Select(key => other.Client.SignalAsync(Resume(key), key, Cancel)));
        Assert.All(late, l => Assert.False(l.IsCompleted));
        await sleeper.ContinueAsync(Cancel);

        var answers = await Task.WhenAll(late);
        Assert.Equal(5, answers.Count(a => a.Duplicate));
        await inbox.AssertCompletedOnceAsync(started);
        await Eventually.BecomesAsync(
            () => cluster.MetricAsync(sleeper, "workflow_lanes_lost_total"), count => count >= lost.Count,
            count => $"{lost.Count} lanes lost; {count} are");
        await cluster.DividedAsync(2);
        await cluster.AssertSoundAsync();
    }

    [Fact]
    public async Task Lanes_of_a_stopped_node_move_without_waiting()
    {
        await using var cluster = await ServiceCluster.StartAsync(backends, nodes: 2, lanes: 4, Steady);
        var name = await cluster.Nodes[0].Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var lost = await cluster.OwnedAsync(cluster.Nodes[0]);
        var rest = cluster.Nodes[1];
        await using var inbox = await EventInbox.OpenAsync(rest.BaseAddress, Patient, Cancel);

        Assert.Equal(0, await cluster.Nodes[0].StopAsync(Cancel));
        var since = Stopwatch.GetTimestamp();
        var keys = Enumerable.Range(0, 20).Select(i => cluster.KeyIn(lost, $"s{i}-")).ToArray();
        var started = await Task.WhenAll(
            keys.Select(async key => (await rest.Client.StartAsync(Request(name, key), cancellationToken: Cancel)).Id));
        await Task.WhenAll(keys.Select(key => rest.Client.SignalAsync(Resume(key), key, Cancel)));
        await inbox.AssertCompletedOnceAsync(started);
        var through = Stopwatch.GetElapsedTime(since);

        output.WriteLine($"first work on lanes of a node that left: {through.TotalMilliseconds:0} ms");
        Assert.True(
            through < TimeSpan.FromSeconds(30),
            $"It took {through.TotalMilliseconds:0} ms, as if the lease of 60 s had been waited for.");
        await cluster.DividedAsync(1);
    }

    [Fact]
    public async Task Signals_at_another_node_complete_each_instance_once()
    {
        const int Count = 200;
        await using var cluster = await ServiceCluster.StartAsync(backends, nodes: 2, lanes: 2, Steady);
        var name = await cluster.Nodes[0].Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var (owner, other) = (cluster.Nodes[0], cluster.Nodes[1]);
        var lanes = await AnsweredLanesAsync(cluster, owner, other, name);
        var answered = await cluster.AnsweredByOwnerAsync(other);
        await using var inbox = await EventInbox.OpenAsync(other.BaseAddress, Patient, Cancel);
        var keys = Enumerable.Range(0, Count).Select(i => cluster.KeyIn(lanes, $"n{i}-")).ToArray();
        var started = await Task.WhenAll(
            keys.Select(
                async key => (await owner.Client.StartAsync(Request(name, key), cancellationToken: Cancel)).Id));

        await Task.WhenAll(keys.Select(key => other.Client.SignalAsync(Resume(key), cancellationToken: Cancel)));

        await inbox.AssertCompletedOnceAsync(started);
        Assert.Equal(answered + Count, await cluster.AnsweredByOwnerAsync(other));
        Assert.Equal(Count, await CompletedAsync(cluster, owner, Count));
        await cluster.AssertSoundAsync();
    }

    /// <summary>Each is sent when the one before is acknowledged, over the node that did not take that one.</summary>
    [Fact]
    public async Task Signals_of_one_key_keep_their_order_over_different_nodes()
    {
        const int Keys = 40;
        await using var cluster = await ServiceCluster.StartAsync(backends, nodes: 2, lanes: 4);
        var name = await cluster.Nodes[0].Client.RegisterNewAsync(TwoInTurn);
        var keys = Enumerable.Range(0, Keys).Select(i => $"order-{i}").ToArray();
        await Task.WhenAll(keys.Select((key, i) => StartAsync(cluster, i, name, key)));

        await Task.WhenAll(keys.Select(async (key, i) =>
        {
            foreach (var number in new[] { 1, 2 })
            {
                await cluster.SendAsync(i + number, client => client.SignalAsync(
                    Resume(key) with { Payload = JsonSerializer.SerializeToElement(number) }, $"{key}-{number}",
                    Cancel));
            }
        }));

        await Eventually.BecomesAsync(
            async () => (await cluster.ListAsync(name)).Count(i => i.State == InstanceState.Completed),
            completed => completed == Keys,
            completed => $"{completed} of {Keys} to complete");
        foreach (var instance in await cluster.ListAsync(name))
        {
            var found = await cluster.Nodes[0].Client.FindInstanceAsync(instance.Id, Cancel);
            Assert.Equal(
                (1, 2), (Number("first"), Number("second")));

            int Number(string variable) => found!.Variables.GetProperty(variable).GetInt32();
        }
    }

    /// <param name="killed">The client's base address is that of node 0.</param>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task Client_that_routes_sends_to_owners_and_survives_one(int killed)
    {
        const int Count = 100;
        await using var cluster = await ServiceCluster.StartAsync(backends, nodes: 2, lanes: 4);
        var name = await cluster.Nodes[0].Client.RegisterNewAsync(SampleDefinitions.Waiting);
        await AnsweredLanesAsync(cluster, cluster.Nodes[1], cluster.Nodes[0], name);
        await AnsweredLanesAsync(cluster, cluster.Nodes[0], cluster.Nodes[1], name);
        using var client = new WorkflowClient(cluster.Nodes[0].BaseAddress, new() { RoutesToOwners = true });
        var lanes = (await client.GetClusterAsync(Cancel)).Lanes;
        var before = await ForwardedAsync();

        await Task.WhenAll(Enumerable.Range(0, Count).Select(i => RunAsync($"routed-{i}")));

        Assert.Equal(4, lanes.Count);
        Assert.Equal(
            cluster.Nodes.Select(node => node.BaseAddress.AbsoluteUri).Order(StringComparer.Ordinal),
            lanes.Select(lane => lane.Address!.AbsoluteUri).Distinct().Order(StringComparer.Ordinal));
        Assert.Equal(before, await ForwardedAsync());

        await cluster.Nodes[killed].KillAsync(Cancel);
        await Task.WhenAll(Enumerable.Range(0, Count).Select(i => RunAsync($"left-{i}")));
        var rest = cluster.Nodes[1 - killed].Client;
        Assert.All(
            (await rest.GetClusterAsync(Cancel)).Lanes.Zip(lanes),
            lane => Assert.Equal(
                lane.Second.Address == cluster.Nodes[killed].BaseAddress,
                lane.First.Epoch!.Value > lane.Second.Epoch!.Value));
        Assert.Equal(2 * Count, (await rest.ListInstancesAsync(name, limit: 1000, cancellationToken: Cancel))
            .Items.Count(i => i.CorrelationKey!.StartsWith("routed", StringComparison.Ordinal)
                || i.CorrelationKey.StartsWith("left", StringComparison.Ordinal)));

        async Task RunAsync(string key)
        {
            await client.StartAsync(Request(name, key), key, Cancel);
            await client.SignalAsync(Resume(key), key, Cancel);
        }

        async Task<double> ForwardedAsync()
        {
            var sum = 0.0;
            foreach (var node in cluster.Nodes)
            {
                sum += await cluster.AnsweredByOwnerAsync(node)
                    + await cluster.MetricAsync(node, "workflow_forwarded_total");
            }

            return sum;
        }
    }

    [Fact]
    public async Task Completion_carries_the_trace_of_a_request_to_another_node()
    {
        await using var cluster = await ServiceCluster.StartAsync(backends, nodes: 2, lanes: 2, Steady);
        var (owner, other) = (cluster.Nodes[0], cluster.Nodes[1]);
        var key = cluster.KeyIn(await cluster.OwnedAsync(owner), "traced");
        var name = await other.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        await using var here = await EventInbox.OpenAsync(owner.BaseAddress, Patient, Cancel);
        await using var there = await EventInbox.OpenAsync(other.BaseAddress, Patient, Cancel);
        var trace = ActivityTraceId.CreateRandom();
        using var http = new HttpClient { BaseAddress = other.BaseAddress };
        http.DefaultRequestHeaders.Add("traceparent", $"00-{trace}-{ActivitySpanId.CreateRandom()}-01");

        using var started = await http.PostAsync(
            "/instances",
            $$"""{ "definition": "{{name}}", "correlationKey": "{{key}}", "input": { "key": "{{key}}" } }""",
            Cancel);
        using var signalled = await http.PostAsync(
            "/signals", $$"""{ "name": "resume", "correlationKey": "{{key}}" }""", Cancel);

        Assert.True(
            started.IsSuccessStatusCode && signalled.IsSuccessStatusCode,
            $"{started.StatusCode} {signalled.StatusCode}");
        foreach (var inbox in new[] { here, there })
        {
            var completed = await inbox.WaitForAsync(
                e => e.Event is InstanceCompleted { CorrelationKey: { } k } && k == key, Cancel);
            Assert.Matches($"^00-{trace}-[0-9a-f]{{16}}-01$", completed.Event.TraceParent);
        }

        Assert.Equal(1, await CompletedAsync(cluster, owner, 1));
    }

    [Fact]
    public async Task Start_at_another_node_is_answered_by_the_owner()
    {
        const int Count = 60;
        await using var cluster = await ServiceCluster.StartAsync(backends, nodes: 2, lanes: 2, Steady);
        var (owner, other) = (cluster.Nodes[0], cluster.Nodes[1]);
        var name = await owner.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var lanes = await AnsweredLanesAsync(cluster, owner, other, name);
        var (answered, taken) = (
            await cluster.AnsweredByOwnerAsync(other), await cluster.MetricAsync(owner, "workflow_inbox_taken_total"));

        var keys = Enumerable.Range(0, Count).Select(i => cluster.KeyIn(lanes, $"f{i}-")).ToArray();
        var started = await Task.WhenAll(
            keys.Select((key, i) => other.Client.StartAsync(Request(name, key), i % 2 == 0 ? key : null, Cancel)));
        var repeated = await other.Client.StartAsync(Request(name, keys[0]), keys[0], Cancel);
        var refused = await Assert.ThrowsAsync<WorkflowApiException>(
            () => other.Client.StartAsync(Request(name, keys[2]), keys[0], Cancel));
        var cancelled = await other.Client.CancelAsync(started[1].Id, cancellationToken: Cancel);

        Assert.All(
            started, s => Assert.Equal((name, InstanceState.Waiting, false), (s.Definition, s.State, s.Duplicate)));
        Assert.Equal((started[0].Id, true), (repeated.Id, repeated.Duplicate));
        Assert.Equal(("idempotency-conflict", 422), (refused.Code, (int)refused.Status));
        Assert.Equal((started[1].Id, false), (cancelled.Id, cancelled.Duplicate));
        var there = (await cluster.ListAsync(name)).Where(i => i.CorrelationKey!.StartsWith('f')).Select(i => i.Id);
        Assert.Equal(started.Select(s => s.Id).Order(), there.Order());
        Assert.Equal((answered + Count + 3, taken), (
            await cluster.AnsweredByOwnerAsync(other), await cluster.MetricAsync(owner, "workflow_inbox_taken_total")));
        Assert.Equal(0, await cluster.MetricAsync(owner, "workflow_failed_flushes_total"));
        await cluster.AssertSoundAsync();
    }

    [Fact]
    public async Task Requests_between_nodes_take_the_key_of_that_node_alone()
    {
        const string User = "full-4711-0123456789abcdef";
        await using var cluster = await ServiceCluster.StartAsync(
            backends, nodes: 2, lanes: 2, new Dictionary<string, string> { ["Access:Keys:0"] = User });
        var keys = await Eventually.BecomesAsync(
            () => NodeKeysAsync(cluster.Store),
            found => found.Keys.Count == 2,
            found => $"{found.Keys.Count} addresses");
        using var http = new HttpClient { BaseAddress = cluster.Nodes[0].BaseAddress };
        var own = keys.Keys.Single(k => k.Key == cluster.Nodes[0].BaseAddress).Value;
        var others = keys.Keys.Single(k => k.Key == cluster.Nodes[1].BaseAddress).Value;

        foreach (var wrong in new[]
            { null, "", "wrong", User, keys.Secret!, others, own[..^1], own.ToUpperInvariant() + "0" })
        {
            using var refused = await PeerAsync(http, wrong);
            await Answer.IsProblemAsync(refused, 401, "node-key-required", "X-Node-Key");
        }

        using var known = await Eventually.BecomesAsync(
            () => PeerAsync(http, own),
            answer => (int)answer.StatusCode == 426,
            answer => $"{answer.StatusCode}");
        await Answer.IsProblemAsync(known, 426, "request-invalid", "web socket");
        using var list = new HttpRequestMessage(HttpMethod.Get, "/instances")
        {
            Headers = { { "X-Api-Key", own }, { "X-Node-Key", own } },
        };
        using var unlisted = await http.SendAsync(list, Cancel);
        await Answer.IsProblemAsync(unlisted, 401, "key-required", "X-Api-Key");
    }

    [Fact]
    public async Task Owner_killed_during_starts_loses_and_doubles_none()
    {
        const int Before = 60;
        await using var cluster = await ServiceCluster.StartAsync(backends, nodes: 2, lanes: 4);
        var (victim, survivor) = (cluster.Nodes[0], cluster.Nodes[1]);
        var name = await survivor.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var lanes = await AnsweredLanesAsync(cluster, victim, survivor, name);
        var started = new ConcurrentDictionary<string, Guid?>();
        using var enough = new CancellationTokenSource();
        var load = Enumerable.Range(0, 8).Select(worker => Task.Run(() => LoadAsync(worker), Cancel)).ToArray();

        await Eventually.BecomesAsync(
            () => Task.FromResult(started.Count), count => count >= Before, count => $"{count} starts");
        await victim.KillAsync(Cancel);
        await Eventually.BecomesAsync(
            () => Task.FromResult(started.Count),
            count => count >= 2 * Before + 8,
            count => $"{count} starts after the kill");
        await enough.CancelAsync();
        await Task.WhenAll(load);

        // Without an idempotency key, an answered request is stored once, and an unanswered one once or not at all.
        output.WriteLine($"{started.Count} starts, {started.Values.Count(id => id is null)} of unknown outcome");
        await Eventually.BecomesAsync(
            () => cluster.MetricAsync(survivor, "workflow_owned_lanes"),
            owned => owned == 4,
            owned => $"{owned} lanes at the survivor");
        var there = new List<InstanceView>();
        for (var page = await survivor.Client.ListInstancesAsync(name, limit: 1000, cancellationToken: Cancel); ;
            page = await survivor.Client.ListInstancesAsync(
                name, after: page.Next, limit: 1000, cancellationToken: Cancel))
        {
            there.AddRange(page.Items);
            if (page.Next is null)
            {
                break;
            }
        }

        var byKey = there.ToLookup(i => i.CorrelationKey!, i => i.Id);
        Assert.All(started, s => Assert.Equal(s.Value is { } id ? [id] : byKey[s.Key].Take(1), byKey[s.Key]));

        async Task LoadAsync(int worker)
        {
            for (var i = 0; !enough.IsCancellationRequested; i++)
            {
                var key = cluster.KeyIn(lanes, $"k{worker}-{i}-");
                try
                {
                    started[key] = (await survivor.Client.StartAsync(Request(name, key), cancellationToken: Cancel)).Id;
                }
                catch (Exception e) when (ServiceCluster.IsPassing(e))
                {
                    started[key] = null;
                }
            }
        }
    }

    [Fact]
    public async Task Signal_due_at_the_end_of_time_is_refused_by_another_node()
    {
        await using var cluster = await ServiceCluster.StartAsync(backends, nodes: 2, lanes: 2, Steady);
        var (owner, other) = (cluster.Nodes[0], cluster.Nodes[1]);
        var key = cluster.KeyIn(await cluster.OwnedAsync(owner), "late");

        var refused = await Assert.ThrowsAsync<WorkflowApiException>(() => other.Client.SignalAsync(
            Resume(key) with { DueAt = new(9999, 12, 31, 23, 59, 59, TimeSpan.Zero) }, cancellationToken: Cancel));
        await other.Client.SignalAsync(
            Resume(key) with { DueAt = new(8999, 12, 31, 23, 59, 59, TimeSpan.Zero) }, cancellationToken: Cancel);

        Assert.Equal(("invalid-command", 400), (refused.Code, (int)refused.Status));
        await Eventually.BecomesAsync(
            () => cluster.MetricAsync(owner, "workflow_buffered_signals"),
            count => count == 1,
            count => $"{count} signals buffered");
        Assert.Equal(0, await cluster.MetricAsync(owner, "workflow_failed_flushes_total"));
        Assert.Equal(0, await cluster.MetricAsync(owner, "workflow_dead_letters"));
    }

    /// <summary>
    /// The lanes of a node, once it answers for another: they know one another's addresses about two renewals after
    /// they have started, and on a slow machine lanes go from one to the other meanwhile.
    /// </summary>
    private static async Task<IReadOnlyList<int>> AnsweredLanesAsync(
        ServiceCluster cluster, WebServiceProcess owner, WebServiceProcess other, string definition)
    {
        IReadOnlyList<int> lanes = [];
        await Eventually.BecomesAsync(
            async () =>
            {
                lanes = await cluster.OwnedAsync(owner);
                if (lanes.Count > 0)
                {
                    await other.Client.StartAsync(
                        Request(definition, cluster.KeyIn(lanes, "warm")), cancellationToken: Cancel);
                }

                return await cluster.AnsweredByOwnerAsync(other);
            },
            answered => answered > 0,
            answered => $"{answered} requests answered by the owner of {lanes.Count} lanes");
        return lanes;
    }

    /// <summary>
    /// Waits until a node has counted the given number of completions: another node may have read them before.
    /// </summary>
    private static Task<double> CompletedAsync(ServiceCluster cluster, WebServiceProcess node, int count) =>
        Eventually.BecomesAsync(
            () => cluster.MetricAsync(node, "workflow_instances_completed_total"), seen => seen >= count,
            seen => $"{count} completions to be counted, {seen} are");

    private static string TwoInTurn(string name) => $$"""
        { "name": "{{name}}", "version": 1, "start": "first", "steps": {
          "first": { "type": "waitSignal", "signal": "resume", "correlation": "= key", "result": "first", "next": "second" },
          "second": { "type": "waitSignal", "signal": "resume", "correlation": "= key", "result": "second", "next": "done" },
          "done": { "type": "end" } } }
        """;

    private static async Task<HttpResponseMessage> PeerAsync(HttpClient http, string? key)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "/internal/peers");
        request.Headers.Add("X-Api-Key", "full-4711-0123456789abcdef");
        if (key is not null)
        {
            request.Headers.Add("X-Node-Key", key);
        }

        return await http.SendAsync(request, Cancel);
    }

    /// <summary>The secret of a cluster, and the key of each node by its address.</summary>
    private static async Task<(string? Secret, IReadOnlyDictionary<Uri, string> Keys)> NodeKeysAsync(
        PostgresStoreOptions store)
    {
        var target = new NpgsqlConnectionStringBuilder(store.ConnectionString) { SearchPath = store.Schema };
        await using var source = NpgsqlDataSource.Create(target);
        await using var command = source.CreateCommand(
            "select n.id, n.address, c.secret from nodes n, cluster c where n.address is not null");
        await using var reader = await command.ExecuteReaderAsync(Cancel);
        var (secret, keys) = ((string?)null, new Dictionary<Uri, string>());
        while (await reader.ReadAsync(Cancel))
        {
            secret = reader.GetString(2);
            var key = HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), reader.GetGuid(0).ToByteArray());
            keys.Add(new(reader.GetString(1)), Convert.ToHexStringLower(key));
        }

        return (secret, keys);
    }

    internal static StartInstance Request(string definition, string key) =>
        new() { Definition = definition, CorrelationKey = key, Input = JsonSerializer.SerializeToElement(new { key }) };

    internal static SendSignal Resume(string key) => new() { Name = "resume", CorrelationKey = key };

    internal static async Task<Guid> StartAsync(ServiceCluster cluster, int node, string definition, string key) =>
        (await cluster.SendAsync(node, client => client.StartAsync(Request(definition, key), key, Cancel))).Id;
}
