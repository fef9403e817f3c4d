using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Engine;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Endpoints;

/// <summary>
/// Whether the service can serve: every lane was served once, here or on another node, the store answers a read, and
/// every lane gets on with its work.
/// </summary>
internal sealed class Readiness(
    IWorkflowEngine engine, IHostApplicationLifetime lifetime, TimeProvider timeProvider, ILogger logger)
{
    private static readonly TimeSpan ReadDeadline = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan StallLimit = TimeSpan.FromSeconds(5);
    private Task _read = Task.CompletedTask;

    /// <summary>
    /// Only the start waits for every lane: a node that dies must not make all others unready.
    /// </summary>
    private volatile bool _hasServedAll;

    /// <exception cref="ProblemException">It cannot.</exception>
    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        if (lifetime.ApplicationStopping.IsCancellationRequested)
        {
            throw NotReady(Problem("The service is stopping."));
        }

        if (IsLoading(engine))
        {
            throw NotReady(Loading(engine));
        }

        try
        {
            // One read for all who ask. A driver whose server stands still may take long to give it up: nobody waits
            // for that.
            _read = _read.IsCompleted ? ReadAsync() : _read;
            await _read.WaitAsync(ReadDeadline, timeProvider, cancellationToken);
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            var reason = e switch
            {
                TimeoutException or OperationCanceledException =>
                    $"The store did not answer a read within {ReadDeadline.TotalSeconds} s.",
                EngineStoppedException => e.Message,
                _ => "The store cannot be read. The service's log holds the cause.",
            };
            throw NotReady(Problem(reason, e), e.Message);
        }

        var statistics = engine.Statistics;
        if (!_hasServedAll && ServedLanes(engine, statistics) < statistics.Lanes)
        {
            throw NotReady(Loading(engine));
        }

        _hasServedAll = true;
        if (statistics.StalledSeconds is { } stalled && stalled > StallLimit.TotalSeconds)
        {
            throw NotReady(
                Problem($"A lane with work has committed nothing for more than {StallLimit.TotalSeconds} s."),
                $"a lane with work has committed nothing for {stalled:0.0} s");
        }
    }

    /// <summary>Whether the engine does not take requests yet.</summary>
    public static bool IsLoading(IWorkflowEngine engine) => engine is WorkflowEngine { IsStarted: false };

    /// <summary>
    /// What a request gets while lanes are being loaded, or wait for the end of a killed node's leases.
    /// </summary>
    public static ProblemException Loading(IWorkflowEngine engine)
    {
        var statistics = engine.Statistics;
        return Problem(
            $"The engine is starting: {ServedLanes(engine, statistics)} of {statistics.Lanes} lanes are served.");
    }

    private static int ServedLanes(IWorkflowEngine engine, EngineStatistics statistics) =>
        statistics.Cluster?.ServedLanes ?? engine.LaneStatistics.Count;

    /// <summary>Reads what cannot exist: the answer does not matter, only that the store gives one.</summary>
    private async Task ReadAsync()
    {
        using var deadline = new CancellationTokenSource(ReadDeadline, timeProvider);
        await engine.FindInstanceAsync(Guid.Empty, deadline.Token);
    }

    private ProblemException NotReady(ProblemException answer, string? cause = null)
    {
        Log.NotReady(logger, cause ?? answer.Message);
        return answer;
    }

    private static ProblemException Problem(string reason, Exception? inner = null) => new(
        new Problem(StatusCodes.Status503ServiceUnavailable, "not-ready", reason)
            { RetryAfter = TimeSpan.FromSeconds(1) }, inner);
}
