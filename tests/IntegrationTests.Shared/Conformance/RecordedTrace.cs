using System.Diagnostics;

namespace IntegrationTests.Shared.Conformance;

/// <summary>A trace that the test begins. Only spans of the engine in this trace are recorded.</summary>
public sealed class RecordedTrace : IDisposable
{
    private readonly ActivityListener _listener;
    private readonly ConcurrentQueue<Activity> _ended = new();

    public RecordedTrace(bool recorded = true)
    {
        Root = new Activity("test").SetIdFormat(ActivityIdFormat.W3C);
        Root.ActivityTraceFlags = recorded ? ActivityTraceFlags.Recorded : ActivityTraceFlags.None;
        Root.Start();
        _listener = new()
        {
            ShouldListenTo = source => source.Name == "Workflow.Engine",
            Sample = (ref ActivityCreationOptions<ActivityContext> options) =>
                recorded && options.Parent.TraceId == Root.TraceId
                    ? ActivitySamplingResult.AllDataAndRecorded : ActivitySamplingResult.None,
            ActivityStopped = _ended.Enqueue,
        };
        ActivitySource.AddActivityListener(_listener);
    }

    /// <summary>The span of the test, within which it calls.</summary>
    public Activity Root { get; }

    public int Count => Ended.Count();
    private IEnumerable<Activity> Ended => _ended.Where(span => span.TraceId == Root.TraceId);

    /// <summary>Later calls are not part of the trace. Spans that it began are still recorded.</summary>
    public void Leave() => Root.Stop();

    /// <summary>Waits for the spans of these names, and returns all there are.</summary>
    public async Task<IReadOnlyDictionary<string, Activity>> EndedAsync(params string[] names)
    {
        await Eventually.BecomesAsync(
            () => Task.FromResult(Ended.Select(span => span.DisplayName).ToList()), ended => names.All(ended.Contains),
            ended => $"the spans {string.Join(", ", names)}; there are {string.Join(", ", ended)}");
        return Ended.ToDictionary(span => span.DisplayName);
    }

    public void Dispose()
    {
        Root.Stop();
        _listener.Dispose();
    }
}
