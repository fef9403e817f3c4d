using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Endpoints;

/// <summary>Whether the service can serve: the store answers a read, and every lane gets on with its work.</summary>
internal sealed class Readiness(
    IWorkflowEngine engine, IHostApplicationLifetime lifetime, TimeProvider timeProvider, ILogger logger)
{
    private static readonly TimeSpan ReadDeadline = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan StallLimit = TimeSpan.FromSeconds(5);
    private Task _read = Task.CompletedTask;

    /// <exception cref="ProblemException">It cannot.</exception>
    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        if (lifetime.ApplicationStopping.IsCancellationRequested)
        {
            throw NotReady("The service is stopping.", null);
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
            Log.NotReady(logger, e.Message);
            var reason = e switch
            {
                TimeoutException or OperationCanceledException =>
                    $"The store did not answer a read within {ReadDeadline.TotalSeconds} s.",
                EngineStoppedException => e.Message,
                _ => "The store cannot be read. The service's log holds the cause.",
            };
            throw NotReady(reason, e);
        }

        if (engine.Statistics.StalledSeconds is { } stalled && stalled > StallLimit.TotalSeconds)
        {
            Log.NotReady(logger, $"a lane with work has committed nothing for {stalled:0.0} s");
            throw NotReady(
                $"A lane with work has committed nothing for more than {StallLimit.TotalSeconds} s.", null);
        }
    }

    /// <summary>Reads what cannot exist: the answer does not matter, only that the store gives one.</summary>
    private async Task ReadAsync()
    {
        using var deadline = new CancellationTokenSource(ReadDeadline, timeProvider);
        await engine.FindInstanceAsync(Guid.Empty, deadline.Token);
    }

    private static ProblemException NotReady(string reason, Exception? inner) => new(
        new Problem(StatusCodes.Status503ServiceUnavailable, "not-ready", reason)
            { RetryAfter = TimeSpan.FromSeconds(1) }, inner);
}
