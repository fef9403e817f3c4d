using LoadTesting.Core.Load.Watches;

namespace Benchmarks;

/// <summary>The web service as a child process on a new store, with a definition that ends within its start.</summary>
internal sealed class LinearService : IAsyncDisposable
{
    private const string Definition =
        """
        { "name": "linear", "version": 1, "start": "total", "steps": {
          "total": { "type": "set", "values": { "total": "= price * quantity" }, "next": "discount" },
          "discount": { "type": "set", "values": { "discounted": "= total > 100" }, "next": "confirm" },
          "confirm": { "type": "invoke", "activity": "echo", "input": { "total": "= total" }, "result": "confirmed", "next": "done" },
          "done": { "type": "end", "output": { "confirmed": "= confirmed", "discounted": "= discounted" } } } }
        """;

    private const string StartBody = """{"definition":"linear","input":{"price":12,"quantity":9}}""";
    private readonly WebServiceProcess _service;

    private LinearService(WebServiceProcess service) => _service = service;

    public static async Task<LinearService> StartAsync(WebServiceOptions options, CancellationToken cancellationToken)
    {
        var service = await WebServiceProcess.StartAsync(options, cancellationToken);
        return new(
            await service.PreparedAsync(one => one.Client.RegisterDefinitionAsync(Definition, cancellationToken)));
    }

    /// <summary>Starts workflows for so long.</summary>
    /// <exception cref="InvalidOperationException">Not every start was answered with 201.</exception>
    public async Task<HeyResult> LoadAsync(HeyClient client, TimeSpan duration, CancellationToken cancellationToken)
    {
        var result =
            await client.PostAsync(new Uri(_service.BaseAddress, "/instances"), StartBody, duration, cancellationToken);
        result.OnlyStatus(201);
        return result;
    }

    /// <summary>Requests that do nothing: what routing and the HTTP server alone give.</summary>
    /// <exception cref="InvalidOperationException">Not every request was answered with 200.</exception>
    public async Task<HeyResult> LoadIdleAsync(HeyClient client, TimeSpan duration, CancellationToken cancellationToken)
    {
        var result = await client.GetAsync(new Uri(_service.BaseAddress, "/health/live"), duration, cancellationToken);
        result.OnlyStatus(200);
        return result;
    }

    /// <summary>Starts workflows until the service is warm.</summary>
    /// <returns>The service's counts, and how long it took.</returns>
    /// <exception cref="InvalidOperationException">A start failed, or the service does not get warm.</exception>
    public async Task<(LinearCounts Counts, TimeSpan Took)> WarmUpAsync(
        HeyClient client, CancellationToken cancellationToken)
    {
        var counts = await CountAsync(cancellationToken);
        var took = await WarmUpRule.RunAsync(
            () => Task.FromResult((counts.ProcessorTime, counts.CompilationTime)), LoadSliceAsync);
        return (counts, took);

        async Task LoadSliceAsync()
        {
            var acknowledged =
                counts.Completed + (await LoadAsync(client, WarmUpRule.Slice, cancellationToken)).OnlyStatus(201);
            counts = await CountAsync(cancellationToken);
            counts.RequireCompleted(acknowledged);
        }
    }

    /// <summary>The service's own counts.</summary>
    public async Task<LinearCounts> CountAsync(CancellationToken cancellationToken)
    {
        var samples = MetricsPage.Read(await _service.Client.GetMetricsAsync(cancellationToken));
        return new(
            (long)samples["workflow_instances_started_total"], (long)samples["workflow_instances_completed_total"],
            (long)samples["workflow_live_instances"], (long)samples["workflow_flushes_total"],
            TimeSpan.FromSeconds(samples["process_cpu_seconds_total"]),
            TimeSpan.FromSeconds(samples["dotnet_jit_compilation_seconds_total"]));
    }

    /// <summary>Stops in order, so that every session has reported to the server.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        var exitCode = await _service.StopAsync(cancellationToken);
        if (exitCode != 0)
        {
            throw new InvalidOperationException(
                $"The web service ended with {exitCode} after the round. Its "
                    + $"output:{Environment.NewLine}{_service.OutputTail}");
        }
    }

    public ValueTask DisposeAsync() => _service.DisposeAsync();
}
