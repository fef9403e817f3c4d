using System.Diagnostics;
using NBomber.Contracts;
using NBomber.Contracts.Stats;
using Spectre.Console;

namespace NBomber.StandIn;

/// <summary>One scenario of a session.</summary>
public sealed class ScenarioSession(ScenarioProps scenario)
{
    private const string WholeIteration = "global information";

    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentQueue<(string Step, bool IsError, double Ms)> _measured = new();
    private readonly Random _random = new(1);
    private int _failed;

    public string Name => scenario.ScenarioName;

    public void Stop() => _stop.Cancel();

    public async Task RunAsync(Action<string?> stop)
    {
        foreach (var simulation in scenario.LoadSimulations)
        {
            if (_stop.IsCancellationRequested)
            {
                return;
            }

            using var ended = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
            if (simulation.Interval is not { } interval)
            {
                ended.CancelAfter(simulation.During);
                await Task.WhenAll(
                    Enumerable.Range(0, simulation.MaxRate)
                        .Select(_ => KeepAsync(Spread(TimeSpan.FromSeconds(1)), stop, ended.Token)));
                await DelayAsync(simulation.During, ended.Token);
                continue;
            }

            var arrivals = new List<Task>();
            for (var at = TimeSpan.Zero; at < simulation.During && !ended.IsCancellationRequested; at += interval)
            {
                var percent = simulation.IsRamp ? (int)(at / simulation.During * 100) : 100;
                var rate = _random.Next(simulation.MinRate, simulation.MaxRate) * percent / 100;
                arrivals.AddRange(
                    Enumerable.Range(0, rate).Select(_ => ArriveAsync(Spread(interval), stop, ended.Token)));
                await DelayAsync(interval, ended.Token);
            }

            await ended.CancelAsync();
            await Task.WhenAll(arrivals);
        }
    }

    public void Measure(string step, IResponse response, long start) =>
        _measured.Enqueue((step, response.IsError, Stopwatch.GetElapsedTime(start).TotalMilliseconds));

    public ScenarioStats ToStats() => new()
    {
        ScenarioName = Name,
        Ok = StatsOf(WholeIteration, isError: false),
        Fail = StatsOf(WholeIteration, isError: true),
        StepStats = [.. _measured.Select(measured => measured.Step).Distinct().Where(step => step != WholeIteration)
            .Select(step => new StepStats
            {
                StepName = step,
                Ok = StatsOf(step, isError: false),
                Fail = StatsOf(step, isError: true),
            })],
    };

    private TimeSpan Spread(TimeSpan over) => TimeSpan.FromMilliseconds(_random.Next(0, (int)over.TotalMilliseconds));

    private async Task KeepAsync(TimeSpan delay, Action<string?> stop, CancellationToken ended)
    {
        await Task.Delay(delay, CancellationToken.None);
        while (!ended.IsCancellationRequested)
        {
            await IterateAsync(stop);
        }
    }

    private async Task ArriveAsync(TimeSpan delay, Action<string?> stop, CancellationToken ended)
    {
        await Task.Delay(delay, CancellationToken.None);
        if (!ended.IsCancellationRequested)
        {
            await IterateAsync(stop);
        }
    }

    private async Task IterateAsync(Action<string?> stop)
    {
        var start = Stopwatch.GetTimestamp();
        IResponse response;
        try
        {
            response = await scenario.Run(new Iteration(this, scenario.RestartIterationOnFail, stop));
        }
        catch (Exception exception)
        {
            response = CSharp.Response.Fail("-101", exception.Message);
        }

        Measure(WholeIteration, response, start);
        if (response.IsError && Interlocked.Increment(ref _failed) >= scenario.MaxFailCount)
        {
            stop(null);
        }
    }

    private MeasurementStats StatsOf(string step, bool isError)
    {
        double[] sorted = [.. _measured.Where(measured => measured.Step == step && measured.IsError == isError)
            .Select(measured => measured.Ms).Order()];
        return new MeasurementStats
        {
            Request = new RequestStats { Count = sorted.Length },
            Latency = new LatencyStats { Percent50 = At(sorted, 0.50), Percent99 = At(sorted, 0.99) },
        };
    }

    private static double At(double[] sorted, double rank) =>
        sorted.Length == 0 ? 0 : sorted[(int)((sorted.Length - 1) * rank)];

    private static async Task DelayAsync(TimeSpan delay, CancellationToken ended) =>
        await Task.Delay(delay, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
}
