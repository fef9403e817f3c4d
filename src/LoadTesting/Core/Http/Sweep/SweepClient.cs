namespace LoadTesting.Core.Http.Sweep;

/// <summary>A client that sends the requests of a sweep.</summary>
public abstract class SweepClient
{
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(1);

    /// <summary>The name in tables.</summary>
    public abstract string Name { get; }

    /// <summary>Whether it is a separate program.</summary>
    public virtual bool IsOutside => false;

    /// <summary>This load engine over the lean sender, which continues iterations inline if it can.</summary>
    public static SweepClient Lean { get; } =
        new EngineClient("lean", address => HttpSender.Lean(address, new HttpSenderOptions { ContinuesInline = true }));

    /// <summary>
    /// This load engine over the lean sender, with iterations that continue on the thread pool and may block.
    /// </summary>
    public static SweepClient LeanPooled { get; } =
        new EngineClient("lean-pooled", address => HttpSender.Lean(address));

    /// <summary>This load engine over HttpClient.</summary>
    public static SweepClient OverHttpClient { get; } =
        new EngineClient("httpclient", address => HttpSender.OverHttpClient(address));

    /// <summary>
    /// A loop around <c>HttpClient.GetAsync</c> per worker, without load engine, histogram or timeline.
    /// </summary>
    public static SweepClient BareHttpClient { get; } = new BareLoopClient();

    /// <summary>The built-in clients by name.</summary>
    public static IReadOnlyList<SweepClient> BuiltIn { get; } = [Lean, LeanPooled, OverHttpClient, BareHttpClient];

    /// <summary>Connects and warms up without measuring.</summary>
    internal abstract Task<PreparedSweepClient> PrepareAsync(
        SweepOptions options, int workers, CancellationToken cancellationToken);

    private static async Task<PreparedSweepClient> WarmAsync(
        PreparedSweepClient client, SweepOptions options, CancellationToken cancellationToken)
    {
        _ = await client.MeasureAsync(options.Duration < s_warmUp ? options.Duration : s_warmUp, cancellationToken)
            .ConfigureAwait(false);
        return client;
    }

    private sealed class EngineClient(string name, Func<Uri, HttpSender> connect) : SweepClient
    {
        public override string Name => name;

        internal override Task<PreparedSweepClient> PrepareAsync(
            SweepOptions options, int workers, CancellationToken cancellationToken)
        {
            var sender = connect(new Uri(options.Target.GetLeftPart(UriPartial.Authority)));
            return WarmAsync(
                new PreparedEngine(sender, PreparedRequest.Get(options.Target.PathAndQuery), workers), options,
                cancellationToken);
        }
    }

    private sealed class PreparedEngine(HttpSender sender, PreparedRequest request, int workers) : PreparedSweepClient
    {
        internal override async Task<SweepSample> MeasureAsync(TimeSpan duration, CancellationToken cancellationToken)
        {
            var scenario = Scenario
                .Create("sweep",
                    async context => (await sender.SendAsync(context, request).ConfigureAwait(false)).Response)
                .WithMaxFailCount(int.MaxValue)
                .WithLoadSimulations(Simulation.KeepConstant(workers, duration));
            var result = await new LoadRunner()
                .RunAsync([scenario], new LoadOptions(), cancellationToken).ConfigureAwait(false);
            var stats = result.Scenarios[0];
            return new SweepSample
            {
                Requests = stats.Ok.Count,
                RequestsPerSecond = stats.Ok.RatePerSecond,
                Errors = stats.Fail.Count + stats.Unfinished,
                Error = stats.Errors is [var error, ..] ? $"{error.Code}: {error.Message}" : null,
                P50Ms = stats.Ok.Latency.PercentileMs(50),
                P95Ms = stats.Ok.Latency.PercentileMs(95),
                P99Ms = stats.Ok.Latency.PercentileMs(99),
            };
        }

        public override ValueTask DisposeAsync()
        {
            sender.Dispose();
            return ValueTask.CompletedTask;
        }
    }

    private sealed class BareLoopClient : SweepClient
    {
        public override string Name => "httpclient-loop";

        internal override Task<PreparedSweepClient> PrepareAsync(
            SweepOptions options, int workers, CancellationToken cancellationToken)
        {
            var http = new HttpClient(HttpClientSender.Handler(new HttpSenderOptions()));
            return WarmAsync(new PreparedLoop(http, options.Target, workers), options, cancellationToken);
        }
    }

    private sealed class PreparedLoop(HttpClient http, Uri target, int workers) : PreparedSweepClient
    {
        internal override async Task<SweepSample> MeasureAsync(TimeSpan duration, CancellationToken cancellationToken)
        {
            var since = Stopwatch.GetTimestamp();
            var loops =
                await Task.WhenAll(Enumerable.Range(0, workers).Select(_ => Task.Run(LoopAsync, cancellationToken)))
                .ConfigureAwait(false);
            var (ok, failed) = (loops.Sum(loop => loop.Ok), loops.Sum(loop => loop.Failed));
            return new SweepSample
            {
                Requests = ok,
                RequestsPerSecond = ok / Stopwatch.GetElapsedTime(since).TotalSeconds,
                Errors = failed,
                Error = loops.Select(loop => loop.Error).FirstOrDefault(error => error is not null),
            };

            async Task<(long Ok, long Failed, string? Error)> LoopAsync()
            {
                var (good, bad, error) = (0L, 0L, (string?)null);
                while (Stopwatch.GetElapsedTime(since) < duration)
                {
                    try
                    {
                        using var response = await http.GetAsync(target, cancellationToken).ConfigureAwait(false);
                        _ = response.EnsureSuccessStatusCode();
                        good++;
                    }
                    catch (Exception exception) when (exception is HttpRequestException or SocketException)
                    {
                        bad++;
                        error ??= exception.Message;
                    }
                }

                return (good, bad, error);
            }
        }

        public override ValueTask DisposeAsync()
        {
            http.Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
