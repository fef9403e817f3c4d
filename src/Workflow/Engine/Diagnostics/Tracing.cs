using System.Diagnostics;

namespace Workflow.Engine.Diagnostics;

/// <summary>
/// The spans of the source <c>Workflow.Engine</c>. A trace context travels with commands, instances and events as the
/// text of a W3C <c>traceparent</c>, and only if a listener records it. Otherwise nothing is allocated, stored or sent.
/// </summary>
internal static class Tracing
{
    public const string SourceName = "Workflow.Engine";

    private static readonly ActivitySource Source = new(SourceName);

    /// <summary>Whether there is a listener for spans.</summary>
    public static bool IsOn => Source.HasListeners();

    /// <summary>The trace context of the caller; null if it is not recorded.</summary>
    public static string? Caller =>
        Activity.Current is { Recorded: true, IdFormat: ActivityIdFormat.W3C } span ? span.Id : null;

    public static Activity? Start(StartCommand command)
    {
        var span = Source.StartActivity($"start {command.Definition}");
        span?.SetTag("workflow.definition", command.Definition);
        return span;
    }

    public static Activity? Signal(SignalCommand command)
    {
        var span = Source.StartActivity($"signal {command.Name}");
        span?.SetTag("workflow.signal.name", command.Name);
        return span;
    }

    public static Activity? Invoke(string activity, Guid instance, string? trace)
    {
        var span = Begin($"invoke {activity}", ActivityKind.Internal, trace);
        span?.SetTag("workflow.activity", activity).SetTag("workflow.instance.id", instance);
        return span;
    }

    public static Activity? Publish(IntegrationEvent next)
    {
        var span = Begin($"publish {next.Type}", ActivityKind.Producer, next.TraceParent);
        span?.SetTag("messaging.operation.type", "send").SetTag("messaging.destination.name", next.Type)
            .SetTag("messaging.message.id", next.Id).SetTag("workflow.instance.id", next.InstanceId);
        return span;
    }

    /// <summary>
    /// Creates the span of an instance that a signal moved, written after the commit. The span belongs to the
    /// instance's trace: below the signal if that has the same trace, otherwise with a link to the signal.
    /// </summary>
    /// <param name="cause">The trace context of the signal; null if it has none.</param>
    public static Action Resumption(
        string definition, Guid instance, string trace, string? cause, DateTimeOffset acceptedUtc) => () =>
    {
        if (Parse(trace) is not { } own)
        {
            return;
        }

        var signal = Parse(cause);
        using var span = Source.StartActivity(
            $"resume {definition}",
            ActivityKind.Consumer,
            signal is { } same && same.TraceId == own.TraceId ? same : own,
            links: signal is { } other && other.TraceId != own.TraceId ? [new(other)] : null,
            startTime: acceptedUtc);
        span?.SetTag("workflow.definition", definition).SetTag("workflow.instance.id", instance);
    };

    public static void Fail(this Activity? span, Exception error) =>
        span?.Fail((error as WorkflowException)?.Code, error.Message);

    /// <param name="type">The code of the error; null if only its text is known.</param>
    public static void Fail(this Activity span, string? type, string message) =>
        span.SetTag("error.type", type ?? "_OTHER").SetStatus(ActivityStatusCode.Error, message);

    private static Activity? Begin(string name, ActivityKind kind, string? trace) =>
        IsOn && Parse(trace) is { } parent ? Source.StartActivity(name, kind, parent) : null;

    private static ActivityContext? Parse(string? trace) =>
        ActivityContext.TryParse(trace, traceState: null, isRemote: true, out var context) ? context : null;
}
