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
        page.Single(
            "workflow_event_streams_dropped_total", "counter", DroppedStreams, Interlocked.Read(ref _droppedStreams));
        page.Family("http_server_request_duration_seconds", "histogram",
            "Time from the routing of a request to the end of its answer.");
        _routes.ForEach(r => r.WriteDurations(page, "http_server_request_duration_seconds"));
        page.Family("http_server_responses_total", "counter", "Answers by class of status.");
        _routes.ForEach(r => r.WriteStatuses(page, "http_server_responses_total"));
    }
}
