using System.Data;
using Npgsql;
using Workflow.Abstractions;
using Workflow.Contracts.Instances;

namespace Benchmarks;

/// <summary>
/// Whether a rate depends on what is stored: an empty store, one with a million finished instances, and one with 200
/// versions of the definition, in turn; and how long lists of the million take.
/// </summary>
internal static class GrownStore
{
    internal const int InFlight = 256;
    private const int Instances = 1_000_000;
    private const int Versions = 200;
    private const int QueriesPerRound = 200;
    private const double QueryMs = 10;
    private static readonly TimeSpan Upkeep = TimeSpan.FromSeconds(6);

    /// <summary>By one of the finished instances, and how many are then listed.</summary>
    private static readonly Dictionary<string, (Func<InstanceView, InstanceQuery> Of, int Expected)> Queries =
        new(StringComparer.Ordinal)
    {
        ["by correlation key"] = (any => new() { CorrelationKey = any.CorrelationKey }, 1),
        ["by time, 100 of those started from an instant on"] = (any => new() { StartedFrom = any.CreatedUtc }, 100),
        ["by state, 100 that completed"] = (any => new() { State = InstanceState.Completed, After = any.Id }, 100),
        ["by state, none that failed"] = (_ => new() { State = InstanceState.Failed }, 0),
    };

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        await using var empty = await EngineUnderTest.StartAsync(context, [], cancellationToken);
        await using var full = await EngineUnderTest.StartAsync(context, [], cancellationToken);
        await using var versioned =
            await EngineUnderTest.StartAsync(context, [], cancellationToken, versions: Versions);
        await FillAsync(full, cancellationToken);
        await using (var connection = new NpgsqlConnection(context.ConnectionString))
        {
            // What the server would do by itself some time later, in the midst of a round.
            await connection.OpenAsync(cancellationToken);
            foreach (var statement in new[] { "vacuum analyze", "checkpoint" })
            {
                await using var command = new NpgsqlCommand(statement, connection) { CommandTimeout = 600 };
                await command.ExecuteNonQueryAsync(cancellationToken);
            }
        }

        EngineUnderTest[] stores = [empty, full, versioned];
        var rounds = new Rounds($"signal round trips, {InFlight} in flight, by what is stored");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var rates = new double[stores.Length];
            for (var turn = 0; turn < stores.Length; turn++)
            {
                // Each comes first in its turn, so a machine that slows down during a round favours none of them.
                var store = (round + turn) % stores.Length;
                rates[store] = await RateAsync(context, stores[store], cancellationToken);
            }

            var (alone, grown, many) = (rates[0], rates[1], rates[2]);
            rounds.Add("empty store, workflows/s", alone);
            rounds.Add($"{Instances:N0} finished instances, workflows/s", grown);
            rounds.Add($"{Versions} versions, workflows/s", many);
            rounds.Add("finished instances, share of the empty store's rate", grown / alone);
            rounds.Add("versions, share of the empty store's rate", many / alone);
            // Up to then a list by key looks through pages that its index does not have yet, one by one.
            await Task.Delay(Upkeep, cancellationToken);
            foreach (var (query, p50, p99) in await QueriesAsync(full, cancellationToken))
            {
                rounds.Add($"{query} among finished instances, p50 ms", p50);
                rounds.Add($"{query} among finished instances, p99 ms", p99);
            }
        }

        rounds.Print();
        Rounds.Target($"{Instances:N0} finished instances, share of the empty store's rate",
            rounds.Median("finished instances, share of the empty store's rate"), 0.9, atLeast: true);
        Rounds.Target($"{Versions} versions, share of the empty store's rate",
            rounds.Median("versions, share of the empty store's rate"), 0.9, atLeast: true);
        foreach (var query in Queries.Keys)
        {
            Rounds.Target($"{query} among finished instances, p50 ms",
                rounds.Median($"{query} among finished instances, p50 ms"), QueryMs, atLeast: false);
        }
    }

    /// <summary>The engine's own work, so that rows, pages and indexes are as they would be.</summary>
    private static async Task FillAsync(EngineUnderTest subject, CancellationToken cancellationToken)
    {
        while (subject.Engine.Statistics.Completed < Instances)
        {
            await ClosedLoop.RunAsync(
                InFlight, TimeSpan.FromSeconds(5), token => OperateAsync(subject, token), cancellationToken);
        }
    }

    /// <summary>What an operator asks, about instances from all over the store, one query after the other.</summary>
    private static async Task<IEnumerable<(string Query, double P50Ms, double P99Ms)>> QueriesAsync(
        EngineUnderTest subject, CancellationToken cancellationToken)
    {
        var oldest = (await ListAsync(new() { Limit = 1 }, 1))[0].CreatedUtc;
        var span = TimeProvider.System.GetUtcNow() - oldest;
        var times = Queries.Keys.ToDictionary(query => query, _ => new List<double>(), StringComparer.Ordinal);
        for (var i = 0; i < QueriesPerRound; i++)
        {
            // Of the first quarter, so that there are some after each.
            var from = oldest + (span * (i + 1) / (4 * QueriesPerRound));
            var any = (await ListAsync(new() { StartedFrom = from, Limit = 1 }, 1))[0];
            foreach (var (name, (query, expected)) in Queries)
            {
                var since = Stopwatch.GetTimestamp();
                await ListAsync(query(any), expected);
                times[name].Add(Stopwatch.GetElapsedTime(since).TotalMilliseconds);
            }
        }

        return times.Select(time => (time.Key, Percentile(time.Value, 50), Percentile(time.Value, 99)));

        static double Percentile(List<double> values, int percent) =>
            values.Order().ElementAt(values.Count * percent / 100);

        async Task<IReadOnlyList<InstanceView>> ListAsync(InstanceQuery query, int expected)
        {
            var items = (await subject.Engine.ListInstancesAsync(query, cancellationToken)).Items;
            return items.Count == expected
                ? items
                : throw new InvalidOperationException($"{items.Count} instances were listed where {expected} are.");
        }
    }

    internal static async Task<double> RateAsync(
        BenchmarkContext context, EngineUnderTest subject, CancellationToken cancellationToken)
    {
        var before = subject.Engine.Statistics.Completed;
        var (operations, seconds) = await ClosedLoop.RunAsync(
            InFlight, context.Duration, token => OperateAsync(subject, token), cancellationToken);
        var completed = subject.Engine.Statistics.Completed - before;
        return completed == operations
            ? completed / seconds
            : throw new InvalidOperationException($"{operations} workflows were signalled and {completed} "
                + "completed: there is no rate.");
    }

    internal static Task OperateAsync(EngineUnderTest subject, CancellationToken cancellationToken) =>
        subject.OperateAsync(Guid.CreateVersion7().ToString(), cancellationToken);
}
