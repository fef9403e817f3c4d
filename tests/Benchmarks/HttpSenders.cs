using LoadTesting.Core.Http.Sweep;
using LoadTesting.Core.Reporting.Tables;
using LoadTesting.Tool;

namespace Benchmarks;

/// <summary>
/// The instrument's HTTP senders beside a bare HttpClient loop and the outside clients that are installed, all against
/// an empty service in another process, with 1 to 2,000 workers.
/// </summary>
internal static class HttpSenders
{
    private const int Fewest = 50;
    private const int Many = 1_000;
    private const int Most = 2_000;

    public static async Task RunAsync(BenchmarkOptions options, CancellationToken cancellationToken)
    {
        await ForeignLoad.WaitForQuietAsync(options.WaitForQuiet, cancellationToken);
        await using var service = await EmptyService.StartAsync(cancellationToken);
        var outside = OutsideClient.Known.Where(client => client.IsInstalled).ToList();
        foreach (var missing in OutsideClient.Known.Except(outside))
        {
            Console.WriteLine($"{missing.Name} is not on PATH and is left out; install it with: {missing.Install}");
        }

        var result = await WorkerSweep.RunAsync(
            new SweepOptions
            {
                Target = service.Address,
                Clients = [.. SweepClient.BuiltIn, .. outside],
                Rounds = options.Rounds,
                Duration = options.Duration,
                ServiceProcessId = service.Id,
            },
            (round, workers, client, sample) => Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"round {round + 1}, {workers} workers, {client}: {sample.RequestsPerSecond:0}/s, {sample.Errors} errors")),
            cancellationToken);
        TableOutput.Write(ToolConsole.OfProcess(), ReportDocument.Of(result));
        foreach (var workers in result.Options.Workers.Where(workers => workers >= Fewest))
        {
            Judge(result, workers, [.. outside.Select(client => client.Name)]);
        }

        Rounds.Target("errors of all clients", result.Steps.Sum(step => step.Errors), 0, atLeast: false);
    }

    private static void Judge(SweepResult result, int workers, IReadOnlyList<string> outside)
    {
        var lean = result.At(workers, SweepClient.Lean.Name);
        var client = result.At(workers, SweepClient.OverHttpClient.Name);
        Rounds.Target($"{workers} workers, lean over httpclient", lean.Over(client) ?? 0, 2, atLeast: true);
        Rounds.Target(
            $"{workers} workers, httpclient over its bare loop",
            client.Over(result.At(workers, SweepClient.BareHttpClient.Name)) ?? 0, 0.97, atLeast: true);
        foreach (var name in outside)
        {
            Rounds.Target(
                $"{workers} workers, lean over {name}", lean.Over(result.At(workers, name)) ?? 0,
                name == "wrk" ? 0.6 : 1, atLeast: true);
        }

        if (workers == Most && outside.Contains("wrk"))
        {
            var its = result.At(Most, "wrk").RequestsPerSecond / result.At(Many, "wrk").RequestsPerSecond;
            var own = lean.RequestsPerSecond / result.At(Many, lean.Client).RequestsPerSecond;
            Rounds.Target($"rate at {Most} over rate at {Many}, lean's over wrk's", own / its, 1, atLeast: true);
        }
    }
}
