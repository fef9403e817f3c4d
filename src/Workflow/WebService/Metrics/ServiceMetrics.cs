using System.Diagnostics.Metrics;

namespace Workflow.WebService.Metrics;

/// <summary>What the service counts about itself. The set of labels is fixed once the routes are mapped.</summary>
internal sealed class ServiceMetrics : IDisposable
{
    public const string MeterName = "Workflow.WebService";
    private const string DroppedStreams = "Event streams that were dropped because their client took nothing.";

    private readonly Meter _meter = new(MeterName);
    private readonly TimeProvider _timeProvider;
    private readonly List<RouteDurations> _routes = [];
    private long _eventStreams;
    private long _droppedStreams;

    public ServiceMetrics(TimeProvider timeProvider)
    {
        _timeProvider = timeProvider;
        Unmatched = AddRoute("any", "unmatched");
        _ = _meter.CreateObservableGauge(
            "workflow.event_streams", () => Interlocked.Read(ref _eventStreams), unit: null, "Open event streams.");
        _ = _meter.CreateObservableCounter(
            "workflow.event_streams_dropped", () => Interlocked.Read(ref _droppedStreams), unit: null, DroppedStreams);
    }

    public RouteDurations Unmatched { get; }

    public RouteDurations AddRoute(string method, string route)
    {
        var durations = new RouteDurations(method, route, _timeProvider.TimestampFrequency);
        _routes.Add(durations);
        return durations;
    }

    public void EventStreamOpened() => Interlocked.Increment(ref _eventStreams);
    public void Dispose() => _meter.Dispose();
    public void EventStreamDropped() => Interlocked.Increment(ref _droppedStreams);
    public void EventStreamClosed() => Interlocked.Decrement(ref _eventStreams);

    public void Write(MetricsPage page)
    {
        page.Family("workflow_event_streams", "gauge", "Open event streams.");
        page.Sample("workflow_event_streams", "", Interlocked.Read(ref _eventStreams));
        page.Single("workflow_event_streams_dropped_total", "counter", DroppedStreams, Interlocked.Read(ref _droppedStreams));
        page.Family("http_server_request_duration_seconds", "histogram", "Time from the routing of a request to the end of its answer.");
        _routes.ForEach(r => r.WriteDurations(page, "http_server_request_duration_seconds"));
        page.Family("http_server_responses_total", "counter", "Answers by class of status.");
        _routes.ForEach(r => r.WriteStatuses(page, "http_server_responses_total"));
    }
}

/// <summary>How long the requests of one route took, and how they ended. Counting allocates nothing and takes no lock.</summary>
internal sealed class RouteDurations(string method, string route, double ticksPerSecond)
{
    // From a tenth of a millisecond (memory store, one request at a time) to the longest that a client should wait.
    private static readonly double[] UpperSeconds =
    [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ];
    private static readonly string[] StatusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"];
    private readonly long[] _upperTicks = UpperSeconds.Select(s => (long)(s * ticksPerSecond)).ToArray();
    private readonly long[] _counts = new long[UpperSeconds.Length + 1];
    private readonly long[] _statuses = new long[StatusClasses.Length];
    private long _sumTicks;

    public void Observe(long elapsedTicks, int status)
    {
        var bucket = 0;
        while (bucket < _upperTicks.Length && elapsedTicks > _upperTicks[bucket])
        {
            bucket++;
        }

        Interlocked.Increment(ref _counts[bucket]);
        Interlocked.Add(ref _sumTicks, elapsedTicks);
        Interlocked.Increment(ref _statuses[Math.Clamp((status / 100) - 1, 0, StatusClasses.Length - 1)]);
    }

    public void WriteDurations(MetricsPage page, string name)
    {
        var labels = $"method=\"{method}\",route=\"{route}\"";
        long total = 0;
        for (var i = 0; i < _counts.Length; i++)
        {
            total += Interlocked.Read(ref _counts[i]);
            var upper = i < UpperSeconds.Length ? UpperSeconds[i].ToString(CultureInfo.InvariantCulture) : "+Inf";
            page.Sample(name + "_bucket", $"{labels},le=\"{upper}\"", total);
        }

        page.Sample(name + "_sum", labels, Interlocked.Read(ref _sumTicks) / ticksPerSecond);
        page.Sample(name + "_count", labels, total);
    }

    public void WriteStatuses(MetricsPage page, string name)
    {
        for (var i = 0; i < StatusClasses.Length; i++)
        {
            page.Sample(name, $"method=\"{method}\",route=\"{route}\",status=\"{StatusClasses[i]}\"", Interlocked.Read(ref _statuses[i]));
        }
    }
}

/// <summary>Measures every request under its route.</summary>
internal sealed class MetricsMiddleware(RequestDelegate next, ServiceMetrics metrics, TimeProvider timeProvider)
{
    public async Task InvokeAsync(HttpContext context)
    {
        var begin = timeProvider.GetTimestamp();
        try
        {
            await next(context);
        }
        finally
        {
            // What routing itself answers (404, 405, 415) has no route; a route without durations, e.g. the event stream, is not timed.
            var route = context.GetEndpoint() is RouteEndpoint matched ? matched.Metadata.GetMetadata<RouteDurations>() : metrics.Unmatched;
            route?.Observe(timeProvider.GetTimestamp() - begin, context.Response.StatusCode);
        }
    }
}
