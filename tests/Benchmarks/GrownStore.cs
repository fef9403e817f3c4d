using Npgsql;

namespace Benchmarks;

/// <summary>
/// Whether a rate depends on what is stored: an empty store, one with a million finished instances, and one with 200 versions of the
/// definition, in turn.
/// </summary>
internal static class GrownStore
{
    private const int InFlight = 256;
    private const int Instances = 1_000_000;
    private const int Versions = 200;

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        await using var empty = await EngineUnderTest.StartAsync(context, [], cancellationToken);
        await using var full = await EngineUnderTest.StartAsync(context, [], cancellationToken);
        await using var versioned = await EngineUnderTest.StartAsync(context, [], cancellationToken, versions: Versions);
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
                // Each comes first in its turn: a machine that slows down in the course of a round wrongs none of them.
                var store = (round + turn) % stores.Length;
                rates[store] = await RateAsync(context, stores[store], cancellationToken);
            }

            var (alone, grown, many) = (rates[0], rates[1], rates[2]);
            rounds.Add("empty store, workflows/s", alone);
            rounds.Add($"{Instances:N0} finished instances, workflows/s", grown);
            rounds.Add($"{Versions} versions, workflows/s", many);
            rounds.Add("finished instances, share of the empty store's rate", grown / alone);
            rounds.Add("versions, share of the empty store's rate", many / alone);
        }

        rounds.Print();
        Rounds.Target($"{Instances:N0} finished instances, share of the empty store's rate",
            rounds.Median("finished instances, share of the empty store's rate"), 0.9, atLeast: true);
        Rounds.Target($"{Versions} versions, share of the empty store's rate",
            rounds.Median("versions, share of the empty store's rate"), 0.9, atLeast: true);
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

    private static async Task<double> RateAsync(BenchmarkContext context, EngineUnderTest subject, CancellationToken cancellationToken)
    {
        var before = subject.Engine.Statistics.Completed;
        var (operations, seconds) = await ClosedLoop.RunAsync(
            InFlight, context.Duration, token => OperateAsync(subject, token), cancellationToken);
        var completed = subject.Engine.Statistics.Completed - before;
        return completed == operations
            ? completed / seconds
            : throw new InvalidOperationException($"{operations} workflows were signalled and {completed} completed: there is no rate.");
    }

    private static Task OperateAsync(EngineUnderTest subject, CancellationToken cancellationToken) =>
        subject.OperateAsync(Guid.CreateVersion7().ToString(), cancellationToken);
}
