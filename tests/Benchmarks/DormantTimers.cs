using LoadTesting.Core.Load.Watches;

namespace Benchmarks;

/// <summary>Timers of dormant instances that are due within one minute, beside callers.</summary>
internal static class DormantTimers
{
    private const string Rate = "timers drained/s";
    private const string Ratio = "callers' p99 while timers are due, of their usual";
    private const int Callers = 16;
    private const string Completed = "workflow_instances_completed_total";
    private static readonly TimeSpan s_span = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan s_poll = TimeSpan.FromMilliseconds(100);

    /// <summary>Making them and starting the service must be over when the first is due.</summary>
    private static readonly TimeSpan s_lead = TimeSpan.FromSeconds(60);

    /// <summary>Between the callers' usual time and the first timer.</summary>
    private static readonly TimeSpan s_settle = TimeSpan.FromSeconds(2);

    private const int MadePerSecond = 40_000;
    private const int CountedPerSecond = 500_000;

    public static async Task MeasureAsync(
        BenchmarkContext context, DormantService service, DormantStock stock, double residentRate,
        CancellationToken cancellationToken)
    {
        var rounds = new Rounds($"{context.Timers:N0} timers of dormant instances, due within {s_span}");
        await DormantStock.RegisterTimerAsync(service.Process, cancellationToken);
        await service.StopAsync(cancellationToken);
        var from = TimeProvider.System.GetUtcNow() + s_lead
            + TimeSpan.FromSeconds(((double)context.Timers / MadePerSecond) + ((double)stock.Count / CountedPerSecond));
        await stock.AddTimersAsync(context.Timers, from, s_span, cancellationToken);
        await service.RestartAsync(cancellationToken);
        await ClosedLoop.RunAsync(
            Callers, context.Duration, token => service.RoundTripAsync(token), cancellationToken);

        // Just before the timers: what a start reads in the background is over.
        var rest = from - TimeProvider.System.GetUtcNow() - context.Duration - s_settle;
        await Task.Delay(rest > TimeSpan.Zero ? rest : TimeSpan.Zero, cancellationToken);
        var usual = await CallAsync(
            service, elapsed => Task.FromResult(elapsed < context.Duration), cancellationToken);
        var (began, before) = (service.Started, await ReadAsync(service, cancellationToken));
        var left = from - TimeProvider.System.GetUtcNow();
        if (left < TimeSpan.Zero)
        {
            throw new InvalidOperationException(
                $"The first timers were due {-left} before the callers' usual time was known: there is no figure.");
        }

        await Task.Delay(left, cancellationToken);
        var (since, seconds) = (Stopwatch.GetTimestamp(), 0.0);
        var during = await CallAsync(
            service,
            // Each caller's workflow may be started and not completed, or completed and not answered.
            async elapsed => await FiredAsync() < context.Timers - Callers && elapsed < s_longest,
            cancellationToken);

        // Now that nobody calls, the number is exact.
        var total = await FiredAsync();
        while (total < context.Timers && seconds < s_longest.TotalSeconds)
        {
            await Task.Delay(s_poll, cancellationToken);
            total = await FiredAsync();
        }

        if (total != context.Timers)
        {
            throw new InvalidOperationException($"{total} of {context.Timers} timers have fired in {seconds} s.");
        }

        rounds.Add(Rate, context.Timers / seconds);
        rounds.Add("last timer fired after the last was due, s", seconds - s_span.TotalSeconds);
        rounds.Add("callers' p99, start and signal, ms", usual);
        rounds.Add("callers' p99 while timers are due, ms", during);
        rounds.Add(Ratio, during / usual);
        rounds.Print();
        Rounds.Target("timers drained, of the resident rate", rounds.Median(Rate) / residentRate, 0.5, atLeast: true);
        Rounds.Target(Ratio, rounds.Median(Ratio), 3, atLeast: false);

        async Task<double> FiredAsync()
        {
            var fired = await ReadAsync(service, cancellationToken) - before - (service.Started - began);
            seconds = Stopwatch.GetElapsedTime(since).TotalSeconds;
            return fired;
        }
    }

    private static async Task<double> ReadAsync(DormantService service, CancellationToken cancellationToken) =>
        MetricsPage.Read(await service.Process.Client.GetMetricsAsync(cancellationToken))[Completed];

    /// <summary>The callers' p99 in milliseconds.</summary>
    /// <param name="continuesAsync">Whether they go on, by the time since they began.</param>
    private static async Task<double> CallAsync(
        DormantService service, Func<TimeSpan, Task<bool>> continuesAsync, CancellationToken cancellationToken)
    {
        var times = new ConcurrentBag<double>();
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var since = Stopwatch.GetTimestamp();
        var callers = Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => Task.Run(CallersAsync, cancellationToken)));
        while (await continuesAsync(Stopwatch.GetElapsedTime(since)))
        {
            await Task.Delay(s_poll, cancellationToken);
        }

        await over.CancelAsync();
        await callers;
        return times.Order().ElementAt(times.Count * 99 / 100);

        async Task CallersAsync()
        {
            while (!over.IsCancellationRequested)
            {
                times.Add((await service.RoundTripAsync(cancellationToken)).TotalMilliseconds);
            }
        }
    }
}
