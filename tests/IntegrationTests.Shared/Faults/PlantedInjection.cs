using System.Diagnostics;
using Npgsql;
using PerformanceTesting.Subjects;
using Workflow.Stores.PostgreSql;

namespace IntegrationTests.Shared.Faults;

/// <summary>An injection in one measurement.</summary>
internal sealed class PlantedInjection(Injection injection) : IPlantedFault
{
    /// <summary>What happens once happens to the tenth after the warm-up.</summary>
    private const int Tenth = 10;

    private static readonly TimeSpan Freeze = TimeSpan.FromSeconds(1.4);
    private static readonly TimeSpan AgainAfter = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan LongerEachTime = TimeSpan.FromMicroseconds(0.1);
    private readonly TaskCompletionSource _thawed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile bool _measuring;
    private int _flushes;
    private int _completions;
    private int _doubled;
    private int _starts;

    public void BeginMeasuring() => _measuring = true;

    /// <summary>Puts the cost of it into a store.</summary>
    /// <param name="connectionString">Its PostgreSQL database; null for a store without one.</param>
    /// <exception cref="ArgumentException">A commit or a query needs a database.</exception>
    public IWorkflowStore Around(IWorkflowStore store, string? connectionString) => injection.Kind switch
    {
        _ when !injection.IsInStore => store,
        InjectionKind.Delay => new FaultyStore(store) { Around = StretchAsync },
        InjectionKind.Work => new FaultyStore(store) { Around = WorkAsync },
        InjectionKind.Freeze => new FaultyStore(store) { Around = FreezeAsync },
        InjectionKind.Slower => new FaultyStore(store) { Around = SlowDownAsync },
        _ when connectionString is null || store is not PostgresStore => throw new ArgumentException(
            $"'{injection.Kind}' is an extra {injection.Kind} on a PostgreSQL server, "
                + $"and {store.Description} has none. Inject it on a "
            + "PostgreSQL profile.",
            nameof(connectionString)),
        InjectionKind.Commit =>
            new FaultyStore(store) { Around = (batches, flush) => CommitAsync(batches, flush, connectionString) },
        _ => new FaultyStore(store) { Around = (batches, flush) => QueryAsync(batches, flush, connectionString) },
    };

    public bool Delivers(IntegrationEvent sent) =>
        !(sent is InstanceCompleted && IsTenth(InjectionKind.Lost, ref _completions));

    public Task? DeliversAgainWhen(IntegrationEvent sent) =>
        sent is InstanceCompleted && IsTenth(InjectionKind.Duplicate, ref _doubled) ? Task.Delay(AgainAfter) : null;

    public bool StartsTwice() => IsTenth(InjectionKind.Leak, ref _starts);

    private bool IsTenth(InjectionKind kind, ref int count) =>
        injection.Kind == kind && _measuring && Interlocked.Increment(ref count) == Tenth;

    /// <summary>From the tenth flush on, a flush waits until the freeze is over.</summary>
    private async Task FreezeAsync(IReadOnlyList<FlushBatch> batches, Func<Task> flush)
    {
        var number = _measuring ? Interlocked.Increment(ref _flushes) : 0;
        if (number == Tenth)
        {
            await Task.Delay(Freeze);
            _thawed.SetResult();
        }
        else if (number > Tenth)
        {
            await _thawed.Task;
        }

        await flush();
    }

    private async Task SlowDownAsync(IReadOnlyList<FlushBatch> batches, Func<Task> flush)
    {
        await flush();
        SpinFor(_measuring ? LongerEachTime * Interlocked.Increment(ref _flushes) : TimeSpan.Zero);
    }

    /// <summary>Computes for a share of the flush's time, because a sleep would free the processor.</summary>
    private async Task StretchAsync(IReadOnlyList<FlushBatch> batches, Func<Task> flush)
    {
        var began = Stopwatch.GetTimestamp();
        await flush();
        SpinFor(Stopwatch.GetElapsedTime(began) * injection.Share);
    }

    private async Task WorkAsync(IReadOnlyList<FlushBatch> batches, Func<Task> flush)
    {
        await flush();
        SpinFor(batches.Sum(batch => Started(batch).Count()) * injection.Work);
    }

    private static void SpinFor(TimeSpan duration)
    {
        var began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(began) < duration)
        {
            Thread.SpinWait(20);
        }
    }

    private static async Task CommitAsync(IReadOnlyList<FlushBatch> batches, Func<Task> flush, string connectionString)
    {
        await flush();
        await using var connection = await OpenAsync(connectionString);
        for (var workflow = 0; workflow < batches.Sum(b => Started(b).Count()); workflow++)
        {
            await using var commit = new NpgsqlCommand("SELECT pg_current_xact_id()", connection);
            await commit.ExecuteScalarAsync();
        }
    }

    private static async Task QueryAsync(IReadOnlyList<FlushBatch> batches, Func<Task> flush, string connectionString)
    {
        await flush();
        await using var connection = await OpenAsync(connectionString);
        await using var queries = new NpgsqlBatch(connection);
        foreach (var _ in batches.SelectMany(Started))
        {
            queries.BatchCommands.Add(new NpgsqlBatchCommand("SELECT 1"));
        }

        if (queries.BatchCommands.Count > 0)
        {
            await queries.ExecuteNonQueryAsync();
        }
    }

    private static IEnumerable<InstanceRow> Started(FlushBatch batch) =>
        batch.InstancesOf(InstanceOrigin.New, isOver: false);

    private static async Task<NpgsqlConnection> OpenAsync(string connectionString)
    {
        // Without it, every return to the pool would be a statement more.
        var connection = new NpgsqlConnection(
            new NpgsqlConnectionStringBuilder(connectionString) { NoResetOnClose = true }.ConnectionString);
        await connection.OpenAsync();
        return connection;
    }
}
