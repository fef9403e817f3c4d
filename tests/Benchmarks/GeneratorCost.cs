using LoadTesting.Core.Load;

namespace Benchmarks;

/// <summary>What the instrument itself costs: processor time of an iteration that does nothing, and of keeping a schedule.</summary>
internal static class GeneratorCost
{
    private static readonly Task<IResponse> s_ok = Task.FromResult<IResponse>(Response.Ok());

    private static readonly (string Name, Func<TimeSpan, LoadSimulation> Load, Func<Task<IResponse>> Body)[] s_loads =
    [
        ("closed, 1 copy", during => Simulation.KeepConstant(1, during), () => s_ok),
        ("closed, 8 copies", during => Simulation.KeepConstant(8, during), () => s_ok),
        ("closed, 8 copies that yield", during => Simulation.KeepConstant(8, during), YieldAsync),
        ("open, 1,000/s", during => Simulation.Inject(1_000, TimeSpan.FromSeconds(1), during), () => s_ok),
        ("open, 12,500/s", during => Simulation.Inject(12_500, TimeSpan.FromSeconds(1), during), () => s_ok),
        ("open, 20,000/s", during => Simulation.Inject(20_000, TimeSpan.FromSeconds(1), during), () => s_ok),
    ];

    public static async Task RunAsync(BenchmarkContext context, CancellationToken cancellationToken)
    {
        var rounds = new Rounds("the load generator with iterations that do nothing");
        for (var round = -1; round < context.Rounds; round++)
        {
            if (round == 0)
            {
                rounds = new Rounds("the load generator with iterations that do nothing");
            }

            await context.BeginRoundAsync(rounds, cancellationToken);
            foreach (var (name, load, body) in s_loads)
            {
                await MeasureAsync(rounds, name, load(context.Duration), body, cancellationToken);
            }
        }

        rounds.Print();
    }

    private static async Task MeasureAsync(
        Rounds rounds, string name, LoadSimulation load, Func<Task<IResponse>> body, CancellationToken cancellationToken)
    {
        var scenario = Scenario.Create("nothing", _ => body()).WithLoadSimulations(load);
        var (cpu, since) = (Environment.CpuUsage.TotalTime, Stopwatch.GetTimestamp());
        var result = await new LoadRunner().RunAsync([scenario], new LoadOptions(), cancellationToken);
        var (used, real) = (Environment.CpuUsage.TotalTime - cpu, Stopwatch.GetElapsedTime(since));
        var stats = result.Scenarios[0];
        rounds.Add($"{name}, processor time per iteration, ns", used.TotalNanoseconds / stats.Ok.Count);
        if (stats.Model == LoadModel.Open)
        {
            rounds.Add($"{name}, processors used", used / real);
            rounds.Add($"{name}, started late by p50, us", 1_000 * stats.ScheduleLag.PercentileMs(50));
            rounds.Add($"{name}, started late by p99, us", 1_000 * stats.ScheduleLag.PercentileMs(99));
            rounds.Add($"{name}, started late by p99.9, us", 1_000 * stats.ScheduleLag.PercentileMs(99.9));
        }
        else
        {
            rounds.Add($"{name}, iterations/s", stats.Ok.RatePerSecond);
        }
    }

    private static async Task<IResponse> YieldAsync()
    {
        await Task.Yield();
        return Response.Ok();
    }
}
