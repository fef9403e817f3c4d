using Workflow.Contracts.Events;

namespace Benchmarks;

/// <summary>
/// Workflows per second as virtual users run them: a start and a signal over HTTP by the lean sender, each answered
/// once it is durable, and the completion by the event stream.
/// </summary>
internal static class HttpRoundtrip
{
    private const int Users = 500;
    private const string Share = "workflows per pgbench commit";

    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(30);

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds($"start, signal and completion over HTTP, {Users} users");
        for (var round = 0; round < context.Rounds; round++)
        {
            await context.BeginRoundAsync(rounds, cancellationToken);
            var ceiling = await context.Pgbench.CommitsPerSecondAsync(16, cancellationToken);
            var rate = await MeasureAsync(context, rounds, cancellationToken);
            rounds.Add("pgbench, 16 clients, commits/s", ceiling);
            rounds.Add("workflows/s", rate);
            rounds.Add(Share, rate / ceiling);
        }

        rounds.Print();
        Rounds.Target(Share, rounds.Median(Share), 0.4, atLeast: true);
    }

    private static async Task<double> MeasureAsync(
        BenchmarkContext context, Rounds rounds, CancellationToken cancellationToken)
    {
        var options =
            new WebServiceOptions
                { Provider = "Postgres", ConnectionString = context.ConnectionString, Schema = context.NewSchema() };
        await using var subject = await HttpSubject.StartAsync("postgres", options, cancellationToken);
        await subject.RegisterAsync(EngineUnderTest.Definition(version: 1), cancellationToken);
        var payload = JsonSerializer.SerializeToElement(new { approved = true });
        long warmUp = 0;
        await subject.WarmUpAsync(async () =>
            warmUp += (await ClosedLoop.RunAsync(Users, WarmUpRule.Slice, OperateAsync, cancellationToken)).Operations);
        var (workflows, seconds) = await ClosedLoop.RunAsync(Users, context.Duration, OperateAsync, cancellationToken);
        await subject.WaitForIdleAsync(cancellationToken);
        var (expected, counts, events) =
            (warmUp + workflows, await subject.CountAsync(cancellationToken), subject.Awaiter.Snapshot());
        if ((counts.Started, counts.Completed, events.Matched, events.Duplicate) != (expected, expected, expected, 0))
        {
            throw new InvalidOperationException($"{expected} workflows were run; "
                + $"the service started {counts.Started} and completed "
                + $"{counts.Completed}; of events {events} were counted: the ledger does not "
                + "balance, so there is no rate.");
        }

        rounds.Add("flushes per workflow (service)", (double)counts.Flushes / counts.Completed);
        return workflows / seconds;

        async Task OperateAsync(CancellationToken token)
        {
            var requestId = Guid.CreateVersion7().ToString();
            var wait = subject.Awaiter.Register(nameof(InstanceCompleted), requestId, s_deadline);
            var input = JsonSerializer.SerializeToElement(new { requestId });
            await subject.StartAsync("signal-roundtrip", requestId, input, token);
            await subject.SignalAsync("resume", requestId, payload, null, token);
            await TransportUnderTest.ArrivalAsync(wait, token);
        }
    }
}
