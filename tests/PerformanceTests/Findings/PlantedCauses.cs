using System.Security.Cryptography;
using LoadTesting.Core.Analysis.Findings;
using Npgsql;
using PerformanceTesting.Backends.PostgreSql;
using PerformanceTests.Calibration;

namespace PerformanceTests.Findings;

/// <summary>Systems with one cause each of being slow, planted, and some without any.</summary>
internal static class PlantedCauses
{
    private const string Rows =
        "CREATE TABLE counters (id int PRIMARY KEY, number bigint NOT NULL); INSERT INTO counters SELECT i, 0 FROM "
        + "generate_series(0, 63) i;";

    // A disk that takes 50 ms to force a write: the server waits that long before it does, with the others in the queue
    // behind it.
    private const string FlushDelay =
        "ALTER DATABASE {database} SET commit_delay = 50000; ALTER DATABASE {database} SET commit_siblings = 0;";

    private const string Wait = "SELECT pg_sleep(0.02)";

    private const string ShortWait = "SELECT pg_sleep(0.005)";

    private static readonly byte[] Megabyte = new byte[1 << 20];

    public static PlantedCause SmallPool { get; } = new(
        "pool of too few connections", ResourceNames.ConnectionPool,
        run => OnPostgresAsync(run, Statement(Wait) with { Clients = 16, Connections = 2 }));

    public static PlantedCause SlowFlush { get; } = new(
        "slow flush of the log", ResourceNames.WalFlush,
        run => OnPostgresAsync(run, new DatabaseLoad
        {
            Clients = 16,
            Connections = 16,
            Setup = Rows + FlushDelay,
            Operation = (connection, context) =>
                RunAsync(connection, ShortWait, Increment(context.ScenarioInfo.InstanceNumber)),
        }));

    public static PlantedCause BusyService { get; } = new(
        "service that computes", ResourceNames.ServiceCpu,
        run => OnPostgresAsync(run, new DatabaseLoad
        {
            Operation = async (connection, _) =>
            {
                await RunAsync(connection, "SELECT 1");
                Burn(megabytes: 20);
            },
        }));

    public static PlantedCause BusyDatabase { get; } = new(
        "database that computes", ResourceNames.DatabaseCpu,
        run => OnPostgresAsync(run, Statement("SELECT count(*) FROM generate_series(1, 100000)")));

    public static PlantedCause SharedRow { get; } = new(
        "row that all clients update", ResourceNames.Locks,
        run => OnPostgresAsync(run, new DatabaseLoad
        {
            Setup = Rows,
            Operation = (connection, _) => RunAsync(connection, "BEGIN", Increment(0), ShortWait, "COMMIT"),
        }));

    public static PlantedCause BlockedGenerator { get; } = new(
        "generator with blocked threads", ResourceNames.Generator,
        _ => OnBlockedPoolAsync());

    public static PlantedCause FrozenFlush { get; } = new(
        "flush frozen for 1.4 s", ResourceNames.Stalls,
        run => OnWorkflowsAsync(run, "postgres", Injection.Parse("freeze"),
            RoundTrips(ratePerSecond: 200)));

    public static PlantedCause SleepingService { get; } = new(
        "sleep in the service", ResourceNames.ServiceWaits,
        run => OnPostgresAsync(run, new DatabaseLoad
        {
            Operation = async (connection, context) =>
            {
                await RunAsync(connection, "SELECT 1");
                await Task.Delay(20, context.ScenarioCancellationToken);
            },
        }));

    public static PlantedCause LockedService { get; } = new(
        "lock in the service", ResourceNames.ServiceWaits,
        run => OnPostgresAsync(run, Locked()));

    public static PlantedCause SlowBroker { get; } = new(
        "slow broker", ResourceNames.EventDelivery,
        run => OnWorkflowsAsync(
            run, "memory", new EventFault { Delay = TimeSpan.FromMilliseconds(30) }, RoundTrips(ratePerSecond: 100)));

    public static PlantedCause SlowConsumer { get; } = new(
        "slow consumer", ResourceNames.EventConsumer,
        run => OnWorkflowsAsync(
            run, "memory", new EventFault { Work = TimeSpan.FromMilliseconds(5) }, RoundTrips(ratePerSecond: null),
            HostingKind.Http));

    public static PlantedCause ColdService { get; } = new(
        "cold service", ResourceNames.Compilation,
        run => OnPostgresAsync(run, new DatabaseLoad
        {
            Clients = 2,
            Operation = async (connection, context) =>
            {
                await RunAsync(connection, "SELECT 1");
                CallNewCode((int)context.InvocationNumber);
            },
        }));

    public static PlantedCause BusyNeighbour { get; } = new(
        "busy neighbour", ResourceNames.OtherProcesses,
        run => OnPostgresAsync(run, new DatabaseLoad
        {
            RatePerSecond = 60,
            Connections = 16,
            Neighbours = 4 * Environment.ProcessorCount,
            Operation = async (connection, _) =>
            {
                await RunAsync(connection, "SELECT 1");
                Burn(megabytes: 3);
            },
        }));

    public static PlantedCause LightQueries { get; } = new(
        "no cause: light load of queries", null,
        run => OnPostgresAsync(run, Statement("SELECT 1") with { RatePerSecond = 100 }));

    public static PlantedCause LightCommits { get; } = new(
        "no cause: light load of commits without flush", null,
        run => OnPostgresAsync(run, new DatabaseLoad
        {
            RatePerSecond = 50,
            Setup = Rows + "ALTER DATABASE {database} SET synchronous_commit = off;",
            Operation = (connection, context) => RunAsync(connection, Increment((int)(context.InvocationNumber % 64))),
        }));

    public static PlantedCause LightWorkflows { get; } = new(
        "no cause: light load of workflows in memory", null,
        run => OnWorkflowsAsync(run, "memory", null,
            RoundTrips(ratePerSecond: 100)));

    private static async Task<ProvokedRun> OnPostgresAsync(RunFixture run, DatabaseLoad load)
    {
        await run.Catalog.RequireOrSkipAsync("postgres", Cancel);
        var server = await run.Catalog.PostgresAsync(Cancel);
        Assert.SkipUnless(
            server.Host.ProcessId is not null && OperatingSystem.IsLinux(),
            "Provoking takes a superuser and a view of the server's processes: a server of our own, on Linux.");
        return await load.JudgeAsync(server, Cancel);
    }

    private static async Task<ProvokedRun> OnWorkflowsAsync(
        RunFixture run, string profile, IFaultInjection? fault, WorkflowScenario scenario,
        HostingKind hosting = HostingKind.InProcess)
    {
        await run.Catalog.RequireOrSkipAsync(profile, Cancel);
        var arrangement = new WorkflowArrangement
        {
            Scenarios = [scenario],
            Backend = await run.Catalog.OpenAsync(profile, Cancel),
            Hosting = hosting,
            Injection = fault,
        };
        var measured = await MeasurementPipeline.RunAsync(arrangement.ArrangeAsync, Cancel);
        return new ProvokedRun(measured.Total.Findings!, measured.Evidence.Resources!.OtherProcessors);
    }

    private static async Task<ProvokedRun> OnBlockedPoolAsync()
    {
        await using var resources = new ResourceObserver([Environment.ProcessId], server: null) { HasNoEvents = true };
        await resources.StartAsync(Cancel);
        var load = await BlockedPool.RunAsync(
            TimeSpan.FromSeconds(3), GeneratorHealthLimits.ForSystemInSameProcess with { MaximumJitterMs = null });
        await resources.StopAsync(Cancel);
        var measured = load.Scenarios.Single().Ok;
        var inputs = resources.Seen.ToInputs(
            load, measured.Count, measured.Latency.AverageMs / 1000, server: null, queueWaitSeconds: null);
        return new ProvokedRun(FindingRules.Judge(inputs), resources.Seen.OtherProcessors);
    }

    private static SignalRoundTripSoakScenario RoundTrips(int? ratePerSecond) =>
        new(SignalRoundTripSoakScenario.Soak, TimeSpan.FromSeconds(4)) { Rate = ratePerSecond, WarmUps = 64 };

    private static DatabaseLoad Statement(string statement) =>
        new() { Operation = (connection, _) => RunAsync(connection, statement) };

    /// <summary>Each of the clients holds the one lock of the service for 4 ms.</summary>
    private static DatabaseLoad Locked()
    {
        var one = new SemaphoreSlim(1);
        return new DatabaseLoad
        {
            Operation = async (connection, context) =>
            {
                await RunAsync(connection, "SELECT 1");
                await one.WaitAsync(context.ScenarioCancellationToken);
                try
                {
                    await Task.Delay(4, context.ScenarioCancellationToken);
                }
                finally
                {
                    one.Release();
                }
            },
        };
    }

    private static void Burn(int megabytes)
    {
        for (var i = 0; i < megabytes; i++)
        {
            SHA256.HashData(Megabyte);
        }
    }

    /// <summary>Makes a method that was never called before, and calls it: the compiler works on this thread.</summary>
    private static void CallNewCode(int number)
    {
        var method = new System.Reflection.Emit.DynamicMethod($"cold{number}", typeof(int), [typeof(int)]);
        var code = method.GetILGenerator();
        for (var i = 0; i < 6_000; i++)
        {
            code.Emit(System.Reflection.Emit.OpCodes.Ldarg_0);
            code.Emit(System.Reflection.Emit.OpCodes.Ldc_I4, number + i);
            code.Emit(System.Reflection.Emit.OpCodes.Mul);
            code.Emit(System.Reflection.Emit.OpCodes.Starg_S, (byte)0);
        }

        code.Emit(System.Reflection.Emit.OpCodes.Ldarg_0);
        code.Emit(System.Reflection.Emit.OpCodes.Ret);
        method.CreateDelegate<Func<int, int>>()(number);
    }

    private static string Increment(int row) => $"UPDATE counters SET number = number + 1 WHERE id = {row}";

    /// <summary>One round trip each, as a service does that asks one thing after the other.</summary>
    private static async Task RunAsync(NpgsqlConnection connection, params string[] statements)
    {
        foreach (var statement in statements)
        {
            await using var command = new NpgsqlCommand(statement, connection);
            await command.ExecuteNonQueryAsync(Cancel);
        }
    }

    /// <summary>What goes wrong on the way of every event.</summary>
    private sealed class EventFault : IFaultInjection, IPlantedFault
    {
        /// <summary>How long a broker keeps an event.</summary>
        public TimeSpan Delay { get; init; }

        /// <summary>How long the consumer works on it.</summary>
        public TimeSpan Work { get; init; }

        public string Name => "events";

        public IPlantedFault Plant() => this;

        public bool Delivers(IntegrationEvent sent)
        {
            if (Work > TimeSpan.Zero)
            {
                using var never = new ManualResetEventSlim();
                never.Wait(Work, CancellationToken.None);
            }

            return true;
        }

        public Task? DelayOf(IntegrationEvent sent) =>
            Delay > TimeSpan.Zero ? Task.Delay(Delay, CancellationToken.None) : null;
    }
}
