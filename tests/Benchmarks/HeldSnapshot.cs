using System.Data;
using Npgsql;

namespace Benchmarks;

/// <summary>
/// Whether a rate depends on somebody's transaction that stays open: nothing that was removed or changed since its
/// snapshot can be cleared away. Both are measured in turn, each on a separate store once that has taken the load for
/// as long as it is measured.
/// </summary>
internal static class HeldSnapshot
{
    private const string Free = "no other transaction, workflows/s";
    private const string Held = "beside an open transaction, workflows/s";
    private const string Share = "beside an open transaction, share of the rate without";
    private const string Age = "age of the open snapshot, transactions";

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds =
            new Rounds($"signal round trips, {GrownStore.InFlight} in flight, beside a transaction that stays open");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var isHeldFirst = round % 2 == 1;
            var first = await RateAsync(context, rounds, isHeldFirst, cancellationToken);
            var second = await RateAsync(context, rounds, !isHeldFirst, cancellationToken);
            rounds.Add(Share, isHeldFirst ? first / second : second / first);
        }

        rounds.Print();
        Rounds.Target(Share, rounds.Median(Share), 0.9, atLeast: true);
    }

    private static async Task<double> RateAsync(
        BenchmarkContext context, Rounds rounds, bool isHeld, CancellationToken cancellationToken)
    {
        var schema = context.NewSchema();
        double rate;
        await using var connection = new NpgsqlConnection(context.ConnectionString);
        await using var other = new NpgsqlConnection(context.ConnectionString);
        await connection.OpenAsync(cancellationToken);
        await other.OpenAsync(cancellationToken);
        await using (var subject = await EngineUnderTest.StartAsync(context, [], cancellationToken, schema: schema))
        {
            await ClosedLoop.WarmUpAsync(GrownStore.InFlight, OperateAsync, cancellationToken);
            await using var transaction = isHeld
                ? await connection.BeginTransactionAsync(IsolationLevel.RepeatableRead, cancellationToken)
                : null;
            if (isHeld)
            {
                await using var query = new NpgsqlCommand("select 1", connection);
                await query.ExecuteNonQueryAsync(cancellationToken);
            }

            await ClosedLoop.RunAsync(GrownStore.InFlight, context.Duration, OperateAsync, cancellationToken);
            rate = await GrownStore.RateAsync(context, subject, cancellationToken);
            rounds.Add(isHeld ? Held : Free, rate);
            if (isHeld)
            {
                await using var query = new NpgsqlCommand(
                    $"select age(backend_xmin) from pg_stat_activity where pid = {connection.ProcessID}", other);
                var age = await query.ExecuteScalarAsync(cancellationToken) as int? ?? 0;
                rounds.Add(Age, age);
                if (age < 100 * context.Duration.TotalSeconds)
                {
                    throw new InvalidOperationException($"The snapshot is {age} transactions old "
                        + "at the end: it was not held.");
                }
            }

            Task OperateAsync(CancellationToken token) => GrownStore.OperateAsync(subject, token);
        }

        // Clearing it away would be a part of the next measurement.
        await using var drop =
            new NpgsqlCommand($"drop schema \"{schema}\" cascade", connection) { CommandTimeout = 120 };
        await drop.ExecuteNonQueryAsync(cancellationToken);
        return rate;
    }
}
