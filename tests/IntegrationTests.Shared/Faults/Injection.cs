using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using LoadTesting.Core.Analysis.Gating;
using Npgsql;
using PerformanceTesting.Subjects;
using Workflow.Stores.PostgreSql;

namespace IntegrationTests.Shared.Faults;

/// <summary>
/// A regression on purpose, to see that a gate finds it: longer flushes, one more commit or one more query for each workflow, or a
/// completion that no consumer gets.
/// </summary>
/// <param name="Kind">Which of them.</param>
/// <param name="Share">How much longer a flush takes, as a share; 0 for the others.</param>
public sealed partial record Injection(InjectionKind Kind, double Share = 0) : IFaultInjection
{
    private const int LostCompletion = 10;

    /// <summary>Reads <c>delay:+10%</c>, <c>commit</c>, <c>query</c> or <c>lost</c>; null when it is none of them.</summary>
    public static Injection? Parse(string value)
    {
        ArgumentNullException.ThrowIfNull(value);
        if (DelayPattern().Match(value.Trim()) is { Success: true } delay)
        {
            return new Injection(InjectionKind.Delay, int.Parse(delay.Groups[1].Value, CultureInfo.InvariantCulture) / 100.0);
        }

        return Enum.TryParse<InjectionKind>(value.Trim(), ignoreCase: true, out var kind) && kind != InjectionKind.Delay
            && Enum.IsDefined(kind) ? new Injection(kind) : null;
    }

    public string Name => Kind == InjectionKind.Delay
        ? string.Create(CultureInfo.InvariantCulture, $"delay:+{Share:0%}")
        : Kind.ToString().ToLowerInvariant();

    /// <summary>Puts the cost of it into a store.</summary>
    /// <param name="store">The store.</param>
    /// <param name="connectionString">Its PostgreSQL database; null for a store without one.</param>
    /// <exception cref="ArgumentException">A commit or a query needs a database.</exception>
    public IWorkflowStore Around(IWorkflowStore store, string? connectionString) => Kind switch
    {
        InjectionKind.Delay => new FaultyStore(store) { Around = StretchAsync },
        InjectionKind.Lost => store,
        _ when connectionString is null || store is not PostgresStore => throw new ArgumentException(
            $"'{Kind}' is an extra {Kind} on a PostgreSQL server, and {store.Description} has none. Inject it on a PostgreSQL profile.",
            nameof(connectionString)),
        InjectionKind.Commit => new FaultyStore(store) { Around = (batch, flush) => CommitAsync(batch, flush, connectionString) },
        _ => new FaultyStore(store) { Around = (batch, flush) => QueryAsync(batch, flush, connectionString) },
    };

    /// <summary>Says of each event in turn whether consumers get it.</summary>
    public Func<IntegrationEvent, bool> Listener()
    {
        var completions = 0;
        return sent => Kind != InjectionKind.Lost || sent is not InstanceCompleted
            || Interlocked.Increment(ref completions) != LostCompletion;
    }

    public override string ToString() => Name;

    [GeneratedRegex(@"^delay:\+([1-9][0-9]{0,2})%$", RegexOptions.IgnoreCase)]
    private static partial Regex DelayPattern();

    /// <summary>
    /// Works on for a share of the time that the flush took: what a slower store would do. A sleep would give the processor to others.
    /// </summary>
    private async Task StretchAsync(FlushBatch batch, Func<Task> flush)
    {
        var began = Stopwatch.GetTimestamp();
        await flush();
        var end = Stopwatch.GetTimestamp() + (long)((Stopwatch.GetTimestamp() - began) * Share);
        while (Stopwatch.GetTimestamp() < end)
        {
            Thread.SpinWait(20);
        }
    }

    private static async Task CommitAsync(FlushBatch batch, Func<Task> flush, string connectionString)
    {
        await flush();
        await using var connection = await OpenAsync(connectionString);
        for (var workflow = 0; workflow < batch.Inserted.Count; workflow++)
        {
            await using var commit = new NpgsqlCommand("SELECT pg_current_xact_id()", connection);
            await commit.ExecuteScalarAsync();
        }
    }

    private static async Task QueryAsync(FlushBatch batch, Func<Task> flush, string connectionString)
    {
        await flush();
        await using var connection = await OpenAsync(connectionString);
        await using var queries = new NpgsqlBatch(connection);
        foreach (var _ in batch.Inserted)
        {
            queries.BatchCommands.Add(new NpgsqlBatchCommand("SELECT 1"));
        }

        if (queries.BatchCommands.Count > 0)
        {
            await queries.ExecuteNonQueryAsync();
        }
    }

    private static async Task<NpgsqlConnection> OpenAsync(string connectionString)
    {
        // Without it, every return to the pool would be a statement more.
        var connection = new NpgsqlConnection(
            new NpgsqlConnectionStringBuilder(connectionString) { NoResetOnClose = true }.ConnectionString);
        await connection.OpenAsync();
        return connection;
    }
}

/// <summary>What an <see cref="Injection"/> does.</summary>
public enum InjectionKind
{
    /// <summary>Every flush takes a share longer.</summary>
    Delay,

    /// <summary>One more transaction with an id of its own for each workflow that is started.</summary>
    Commit,

    /// <summary>One more statement for each workflow that is started.</summary>
    Query,

    /// <summary>One completion reaches no consumer.</summary>
    Lost,
}
