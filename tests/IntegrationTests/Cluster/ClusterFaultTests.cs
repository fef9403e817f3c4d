using System.Security.Cryptography;

namespace IntegrationTests.Cluster;

/// <summary>
/// Two processes on a PostgreSQL server of their own, clients that never stop, and one fault after the other, in an order that a seed
/// decides. <c>WORKFLOW_FAULT_COUNT</c> says how many (default 9, each kind once; a night has 200), <c>WORKFLOW_FAULT_SEED</c> repeats an
/// order.
/// </summary>
[Trait("Category", "Extended")]
public sealed class ClusterFaultTests(BackendFixture backends, ITestOutputHelper output)
{
    private const int DefaultCount = 9;
    private const int LongestJumpSeconds = 120;
    private static readonly TimeSpan LongestTakeover = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan LongestFault = TimeSpan.FromSeconds(30);

    private readonly List<TimeSpan> _takeovers = [];

    [Fact]
    public async Task Faults_under_load_lose_nothing_double_nothing_and_keep_the_order()
    {
        await backends.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var binaries = PostgresBinaries.Find();
        Assert.SkipWhen(binaries is null, "This test stops a server of its own; that needs installed binaries (apt-get install postgresql).");
        var seed = Variable("WORKFLOW_FAULT_SEED") ?? RandomNumberGenerator.GetInt32(1, 1_000_000);
        var random = new Random(seed);
        using var clock = MovableClock.TryCreate();
        await using var server = await PostgresServer.StartNativeAsync(clock?.Move(binaries) ?? binaries, cancellationToken: Cancel);
        await using var disk = await SmallDisk.TryMountAsync(server);
        output.WriteLine($"WORKFLOW_FAULT_SEED={seed}{(disk is null ? "; no full disk: a small one cannot be mounted here" : "")}"
            + (clock is null ? "; no clock that jumps: that needs libfaketime (apt-get install libfaketime)" : ""));
        await using var cluster = await ServiceCluster.StartAsync(server, nodes: 2, lanes: 4, clock?.Variables);
        await using var load = await ClusterLoad.StartAsync(cluster);
        using var machine = new MachineWatch();

        var faults = new Queue<Fault>();
        for (var left = Variable("WORKFLOW_FAULT_COUNT") ?? DefaultCount; left > 0; left--)
        {
            if (faults.Count == 0)
            {
                // Every kind comes before one comes again.
                var kinds = Enum.GetValues<Fault>()
                    .Where(fault => (fault != Fault.FullDisk || disk is not null) && (fault != Fault.ClockJump || clock is not null))
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
        }

        await load.AssertPromisesKeptAsync();
        AssertTakeovers(machine);
        output.WriteLine($"{load}: nothing lost, nothing doubled");
    }

    private async Task HappenAsync(
        Fault fault, int victim, Random random, ServiceCluster cluster, ClusterLoad load, PostgresServer server, SmallDisk? disk,
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
                await server.StartAgainAsync(Cancel);
                break;
            case Fault.CutConnections:
                await Statements.ScalarAsync(
                    server.AdministrationConnectionString,
                    "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'workflow-engine'");
                break;
            case Fault.HeldSnapshot:
                // No version of a row is removed meanwhile.
                await Statements.ScalarAsync(
                    cluster.Store.ConnectionString, "begin isolation level repeatable read; select 1; select pg_sleep(2); rollback");
                break;
            case Fault.ClockJump:
                await clock!.JumpAsync(random.Next(-LongestJumpSeconds, LongestJumpSeconds + 1), cluster, server);
                break;
            default:
                await disk!.FillAsync();
                await PauseAsync(random, 0.5, 2);
                disk.Free();
                await server.StopImmediateAsync(Cancel);
                await server.StartAgainAsync(Cancel);
                break;
        }
    }

    private async Task TakeOverAsync(ServiceCluster cluster, ClusterLoad load, int victim, Func<Task> fault)
    {
        // Right after a crash of the server one node may have all of them for a moment.
        var lanes = await Eventually.BecomesAsync(
            () => cluster.OwnedAsync(cluster.Nodes[victim]), owned => owned.Count > 0, _ => $"node {victim} to own a lane");
        await fault();
        _takeovers.Add(await load.TakeoverAsync(lanes, (victim + 1) % cluster.Nodes.Count));
    }

    private void AssertTakeovers(MachineWatch machine)
    {
        _takeovers.Sort();
        var p95 = _takeovers.Count == 0 ? TimeSpan.Zero : _takeovers[(int)Math.Ceiling(0.95 * _takeovers.Count) - 1];
        output.WriteLine($"{_takeovers.Count} takeovers, p95 {p95.TotalMilliseconds:0} ms");
        var result = $"95 % of {_takeovers.Count} takeovers took at most {p95.TotalMilliseconds:0} ms.";
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

        /// <summary>The log's disk is full, for so long that the server crashes.</summary>
        FullDisk,
    }
}

/// <summary>
/// What the programs of a machine take for the time of day, by libfaketime; how long something takes stays right, as when somebody sets
/// the clock.
/// </summary>
internal sealed class MovableClock : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("workflow-clock-").FullName;
    private readonly HttpClient _http = new();

    private MovableClock(string library)
    {
        Variables = new Dictionary<string, string>
        {
            ["LD_PRELOAD"] = library,
            ["FAKETIME_TIMESTAMP_FILE"] = Offset,
            ["FAKETIME_CACHE_DURATION"] = "1",
            ["FAKETIME_DONT_FAKE_MONOTONIC"] = "1",
            // Without it every wait for a span of time ends at once, and .NET's timers take both processors.
            ["FAKETIME_FORCE_MONOTONIC_FIX"] = "0",
        };
        Set(0);
        if (!OperatingSystem.IsWindows())
        {
            // The server's user reads it too.
            File.SetUnixFileMode(_directory, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute
                | UnixFileMode.GroupRead | UnixFileMode.GroupExecute | UnixFileMode.OtherRead | UnixFileMode.OtherExecute);
        }
    }

    /// <summary>The environment of a program that has this clock.</summary>
    public IReadOnlyDictionary<string, string> Variables { get; }

    private static double Now => TimeProvider.System.GetUtcNow().ToUnixTimeMilliseconds() / 1000.0;

    private string Offset => Path.Combine(_directory, "offset");

    /// <summary>Null where libfaketime is not installed.</summary>
    public static MovableClock? TryCreate() =>
        (Directory.Exists("/usr/lib") ? Directory.EnumerateDirectories("/usr/lib") : []).Prepend("/usr/lib")
            .Select(directory => Path.Combine(directory, "faketime", "libfaketimeMT.so.1"))
            .FirstOrDefault(File.Exists) is { } library
            ? new(library)
            : null;

    /// <summary>The same programs, of which the server has this clock.</summary>
    public PostgresBinaries Move(PostgresBinaries binaries)
    {
        foreach (var program in new[] { binaries.Initdb, binaries.PgCtl })
        {
            File.CreateSymbolicLink(Path.Combine(_directory, Path.GetFileName(program)), program);
        }

        var moved = new PostgresBinaries(_directory);
        var variables = string.Join(' ', Variables.Select(variable => $"{variable.Key}='{variable.Value}'"));
        // The server looks for its files beside itself.
        var server = File.ResolveLinkTarget(binaries.Postgres, returnFinalTarget: true)?.FullName ?? binaries.Postgres;
        File.WriteAllText(moved.Postgres, $"#!/bin/sh\nexec env {variables} '{server}' \"$@\"\n");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(moved.Postgres, File.GetUnixFileMode(_directory));
        }

        return moved;
    }

    /// <summary>Sets it, and waits until the server and every node have seen that.</summary>
    /// <param name="seconds">From the time that it really is.</param>
    public async Task JumpAsync(int seconds, ServiceCluster cluster, PostgresServer server)
    {
        Set(seconds);
        await Eventually.BecomesAsync(
            async () => (await Task.WhenAll(cluster.Nodes.Select(node => OffsetAsync(node.BaseAddress)).Append(OffsetAsync(server))))
                .Select(offset => offset - seconds),
            offsets => offsets.All(offset => Math.Abs(offset) < 5),
            offsets => $"clocks to be set by {seconds} s; they are off by {string.Join(", ", offsets)}");
    }

    public void Dispose()
    {
        _http.Dispose();
        Directory.Delete(_directory, recursive: true);
    }

    private static async Task<double> OffsetAsync(PostgresServer server) => (double)(decimal)(await Statements.ScalarAsync(
        server.AdministrationConnectionString, "select extract(epoch from clock_timestamp())"))! - Now;

    private async Task<double> OffsetAsync(Uri node)
    {
        using var response = await _http.GetAsync(new Uri(node, "health/live"), Cancel);
        return response.Headers.Date!.Value.ToUnixTimeSeconds() - Now;
    }

    private void Set(int seconds)
    {
        // As a whole: a program that reads half of it takes another time.
        var next = Offset + ".next";
        File.WriteAllText(next, seconds.ToString("+0;-0;+0", CultureInfo.InvariantCulture));
        File.Move(next, Offset, overwrite: true);
    }
}

/// <summary>A file system in memory that holds a server's log and can be filled.</summary>
internal sealed class SmallDisk : IAsyncDisposable
{
    private const long Bytes = 512L << 20;

    private readonly string _directory;

    private SmallDisk(string directory) => _directory = directory;

    private string Filler => Path.Combine(_directory, "filler");

    /// <summary>Moves the log of a server there; null where the system does not let this process mount one.</summary>
    public static async Task<SmallDisk?> TryMountAsync(PostgresServer server)
    {
        var directory = Directory.CreateTempSubdirectory("workflow-disk-").FullName;
        var mounted = OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess
            && (await Command.RunAsync("mount", ["-t", "tmpfs", "-o", $"size={Bytes}", "tmpfs", directory], cancellationToken: Cancel)).Succeeded;
        if (!mounted)
        {
            Directory.Delete(directory);
            return null;
        }

        var disk = new SmallDisk(directory);
        try
        {
            var log = Path.Combine(server.DirectoryPath!, "data", "pg_wal");
            await server.StopFastAsync(Cancel);
            await RunAsync("cp", "-a", log, directory);
            await RunAsync("chown", $"--reference={log}", directory);
            Directory.Delete(log, recursive: true);
            Directory.CreateSymbolicLink(log, Path.Combine(directory, "pg_wal"));
            await server.StartAgainAsync(Cancel);
            return disk;
        }
        catch
        {
            await disk.DisposeAsync();
            throw;
        }
    }

    /// <summary>Leaves no byte free.</summary>
    public async Task FillAsync()
    {
        var filled = await Command.RunAsync("dd", ["if=/dev/zero", $"of={Filler}", "bs=1M"], cancellationToken: Cancel);
        Assert.Contains("No space left on device", filled.Describe(), StringComparison.Ordinal);
    }

    public void Free() => File.Delete(Filler);

    public async ValueTask DisposeAsync()
    {
        // The server still runs on it: the kernel lets go of it when that ends.
        await RunAsync("umount", "-l", _directory);
        Directory.Delete(_directory);
    }

    private static async Task RunAsync(string program, params string[] arguments)
    {
        var result = await Command.RunAsync(program, arguments, cancellationToken: CancellationToken.None);
        Assert.True(result.Succeeded, result.Describe());
    }
}
