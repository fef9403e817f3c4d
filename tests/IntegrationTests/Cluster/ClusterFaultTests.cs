using System.Security.Cryptography;
using IntegrationTests.Network;

namespace IntegrationTests.Cluster;

/// <summary>
/// Two processes on a PostgreSQL server of their own, clients that never stop, and one fault after the other, in an
/// order that a seed decides. <c>WORKFLOW_FAULT_COUNT</c> says how many (default 12, each kind once; a night has 200),
/// <c>WORKFLOW_FAULT_SEED</c> repeats an order.
/// </summary>
[Trait("Category", "Extended")]
public sealed class ClusterFaultTests(BackendFixture backends, ITestOutputHelper output)
{
    private const int DefaultCount = 12;
    private const int LongestJumpSeconds = 120;
    private static readonly TimeSpan LongestTakeover = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan LongestFault = TimeSpan.FromSeconds(30);

    private readonly List<TimeSpan> _takeovers = [];
    private readonly List<TimeSpan> _detours = [];

    [Fact]
    public async Task Faults_under_load_lose_and_double_nothing()
    {
        await backends.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var binaries = PostgresBinaries.Find();
        Assert.SkipWhen(binaries is null,
            "This test stops a server of its own; that needs installed binaries (apt-get install postgresql).");
        var seed = Variable("WORKFLOW_FAULT_SEED") ?? RandomNumberGenerator.GetInt32(1, 1_000_000);
        var random = new Random(seed);
        using var clock = MovableClock.TryCreate();
        await using var server =
            await PostgresServer.StartNativeAsync(clock?.Move(binaries) ?? binaries, cancellationToken: Cancel);
        await using var disk = await SmallDisk.TryMountAsync(server);
        output.WriteLine($"WORKFLOW_FAULT_SEED={seed}{(disk is null ? "; no full disk: a small one cannot be mounted here" : "")}"
            + (clock is null ? "; no clock that jumps: that needs libfaketime (apt-get install libfaketime)" : ""));
        await using var cluster =
            await ServiceCluster.StartAsync(server, nodes: 2, lanes: 4, clock?.Variables, linked: true);
        await using var load = await ClusterLoad.StartAsync(cluster);
        using var machine = new MachineWatch();
        await AskOwnersAsync(cluster);

        var faults = new Queue<Fault>();
        for (var left = Variable("WORKFLOW_FAULT_COUNT") ?? DefaultCount; left > 0; left--)
        {
            if (faults.Count == 0)
            {
                // Every kind comes before one comes again.
                var kinds = Enum.GetValues<Fault>()
                    .Where(fault => (fault != Fault.FullDisk || disk is not null)
                        && (fault != Fault.ClockJump || clock is not null))
                    .ToArray();
                random.Shuffle(kinds);
                faults = new(kinds);
            }

            var (kind, since) = (faults.Dequeue(), Stopwatch.GetTimestamp());
            await load.BeginFaultAsync();
            await HappenAsync(kind, random.Next(cluster.Nodes.Count), random, cluster, load, server, disk, clock);
            await load.EndFaultAsync();
            var took = Stopwatch.GetElapsedTime(since);
            output.WriteLine($"{kind}: {took.TotalSeconds:0.0} s until all lanes serve again; {load}");
            AssertInTime(took <= LongestFault, $"{kind}: all lanes served again after {took}.", machine);
            await AskOwnersAsync(cluster);
        }

        await load.AssertPromisesKeptAsync();
        AssertLongest(_takeovers, "takeovers", machine);
        AssertLongest(_detours, "requests that a broken connection between nodes delayed", machine);
        output.WriteLine($"{load}: nothing lost, nothing doubled");
    }

    private async Task HappenAsync(
        Fault fault, int victim, Random random, ServiceCluster cluster, ClusterLoad load, PostgresServer server,
        SmallDisk? disk,
        MovableClock? clock)
    {
        var node = cluster.Nodes[victim];
        switch (fault)
        {
            case Fault.Kill:
                await TakeOverAsync(cluster, load, victim, () => node.KillAsync(Cancel));
                await node.RestartAsync(Cancel);
                break;
            case Fault.Stop:
                Assert.Equal(0, await node.StopAsync(Cancel));
                await node.RestartAsync(Cancel);
                break;
            case Fault.StandStill:
                await TakeOverAsync(cluster, load, victim, () => node.PauseAsync(Cancel));
                await node.ContinueAsync(Cancel);
                break;
            case Fault.ShortStandStill:
                await node.PauseAsync(Cancel);
                await PauseAsync(random, 0.1, 1.5);
                await node.ContinueAsync(Cancel);
                break;
            case Fault.ServerCrash:
                await server.StopImmediateAsync(Cancel);
                await PauseAsync(random, 0, 1.5);
                await server.Host.StartAgainAsync(Cancel);
                break;
            case Fault.CutConnections:
                await Statements.ScalarAsync(
                    server.AdministrationConnectionString,
                    "select count(pg_terminate_backend(pid)) from pg_stat_activity where "
                        + "application_name = 'workflow-engine'");
                break;
            case Fault.HeldSnapshot:
                // No version of a row is removed meanwhile.
                await Statements.ScalarAsync(
                    cluster.Store.ConnectionString,
                    "begin isolation level repeatable read; select 1; select pg_sleep(2); rollback");
                break;
            case Fault.ClockJump:
                await clock!.JumpAsync(random.Next(-LongestJumpSeconds, LongestJumpSeconds + 1), cluster, server);
                break;
            case Fault.CutLinks:
                await BreakLinksAsync(cluster, load, victim, random, async links =>
                {
                    var cut = 0;
                    for (var times = random.Next(2, 5); times > 0; times--)
                    {
                        cut += links.Sum(link => link.CutAll(Cut.Reset));
                        links.ForEach(link => link.Restore());
                        await PauseAsync(random, 0, 1.5);
                    }

                    Assert.True(cut > 0, "No connection between nodes was there to be cut.");
                });
                break;
            case Fault.HungLinks:
                await BreakLinksAsync(cluster, load, victim, random, async links =>
                {
                    links.ForEach(link => link.Hold());
                    await PauseAsync(random, 0.1, 3);
                });
                break;
            case Fault.RefusedLinks:
                await BreakLinksAsync(cluster, load, victim, random, async links =>
                {
                    links.ForEach(link => link.CutAll(Cut.Reset));
                    await PauseAsync(random, 0.5, 3);
                });
                break;
            default:
                await disk!.FillAsync();
                await PauseAsync(random, 0.5, 2);
                disk.Free();
                await server.StopImmediateAsync(Cancel);
                await server.Host.StartAgainAsync(Cancel);
                break;
        }
    }

    private async Task TakeOverAsync(ServiceCluster cluster, ClusterLoad load, int victim, Func<Task> fault)
    {
        // Right after a crash of the server one node may have all of them for a moment.
        var lanes = await Eventually.BecomesAsync(
            () => cluster.OwnedAsync(cluster.Nodes[victim]), owned => owned.Count > 0,
            _ => $"node {victim} to own a lane");
        await fault();
        _takeovers.Add(await load.TakeoverAsync(lanes, (victim + 1) % cluster.Nodes.Count));
    }

    /// <summary>
    /// The connections to one node or to all of them fail, and another node is asked to start a workflow on a lane of
    /// that node meanwhile.
    /// </summary>
    private async Task BreakLinksAsync(
        ServiceCluster cluster, ClusterLoad load, int victim, Random random, Func<List<TcpLink>, Task> fault)
    {
        List<TcpLink> links = random.Next(2) == 0 ? [cluster.Links[victim]] : [.. cluster.Links];
        var lanes = await cluster.OwnedAsync(cluster.Nodes[victim]);
        var failing = FailAsync();
        if (lanes.Count > 0)
        {
            _detours.Add(await load.TakeoverAsync(lanes, (victim + 1) % cluster.Nodes.Count));
        }

        await failing;

        async Task FailAsync()
        {
            await fault(links);
            links.ForEach(link => link.Restore());
        }
    }

    /// <summary>Waits until other nodes have answered requests of each node over their connections.</summary>
    private static Task AskOwnersAsync(ServiceCluster cluster) => Task.WhenAll(cluster.Nodes.Select(async node =>
    {
        var before = await cluster.AnsweredByOwnerAsync(node);
        await Eventually.BecomesAsync(
            () => cluster.AnsweredByOwnerAsync(node), answered => answered > before,
            answered => $"other nodes to answer {node.BaseAddress}; {answered} requests were");
    }));

    private void AssertLongest(List<TimeSpan> times, string what, MachineWatch machine)
    {
        times.Sort();
        var p95 = times.Count == 0 ? TimeSpan.Zero : times[(int)Math.Ceiling(0.95 * times.Count) - 1];
        output.WriteLine($"{times.Count} {what}, p95 {p95.TotalMilliseconds:0} ms");
        var result = $"95 % of {times.Count} {what} took at most {p95.TotalMilliseconds:0} ms.";
        AssertInTime(p95 <= LongestTakeover, result, machine);
    }

    private static void AssertInTime(bool isInTime, string result, MachineWatch machine)
    {
        if (!isInTime && machine.Pause() is { } pause)
        {
            Assert.Skip($"Inconclusive: {pause}: {result}");
        }

        Assert.True(isInTime, result);
    }

    private static Task PauseAsync(Random random, double least, double most) =>
        Task.Delay(TimeSpan.FromSeconds(least + (random.NextDouble() * (most - least))), Cancel);

    private static int? Variable(string name) => Environment.GetEnvironmentVariable(name) is not { Length: > 0 } text
        ? null
        : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number > 0
            ? number
            : throw new ArgumentException($"{name} is '{text}'. Give a whole number of 1 or more.");

    private enum Fault
    {
        /// <summary>kill -9 of a node.</summary>
        Kill,

        /// <summary>An orderly stop of a node.</summary>
        Stop,

        /// <summary>SIGSTOP of a node, until another has its lanes.</summary>
        StandStill,

        /// <summary>SIGSTOP of a node, for about as long as its lease.</summary>
        ShortStandStill,

        /// <summary>An immediate stop of the server.</summary>
        ServerCrash,

        /// <summary>All sessions of the engines are terminated.</summary>
        CutConnections,

        /// <summary>A transaction that keeps the server from removing old versions of rows.</summary>
        HeldSnapshot,

        /// <summary>The clock of the machine, so of the nodes and of the server, is set forward or back.</summary>
        ClockJump,

        /// <summary>The connections between nodes are reset, a few times.</summary>
        CutLinks,

        /// <summary>The connections between nodes pass nothing on for a while, and then go on.</summary>
        HungLinks,

        /// <summary>The connections between nodes are reset, and for a while so are new ones.</summary>
        RefusedLinks,

        /// <summary>The log's disk is full, for so long that the server crashes.</summary>
        FullDisk,
    }
}
