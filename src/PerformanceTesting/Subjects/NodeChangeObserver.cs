namespace PerformanceTesting.Subjects;

/// <summary>
/// Ends a node when a third of the load is over, and lets a new one join after two thirds. Place it last among the
/// observers: it begins with the load, and is over before the others look again.
/// </summary>
internal sealed class NodeChangeObserver(HttpSubject subject, NodeChange change, TimeSpan duration) : IRunObserver
{
    private readonly CancellationTokenSource _stop = new();
    private readonly List<string> _notes = [];
    private long _began;
    private Task _changing = Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _began = Stopwatch.GetTimestamp();
        _changing = Task.Run(ChangeAsync, CancellationToken.None);
        return Task.CompletedTask;
    }

    /// <summary>Waits for a node that is on its way; what failed to leave or to join fails the measurement.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        await _stop.CancelAsync();
        await _changing.WaitAsync(cancellationToken);
    }

    public void AddTo(RunEvidence evidence)
    {
        evidence.Notes.AddRange(_notes);
        if (change == NodeChange.Killed)
        {
            evidence.Notes
                .Add($"{subject.FailedOver} requests failed at it and went to another node with the same Idempotency-Key.");
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _changing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task ChangeAsync()
    {
        if (await IsOverAsync(1.0 / 3))
        {
            return;
        }

        var at = Now();
        var left = await subject.EndLastNodeAsync(change, CancellationToken.None);
        _notes.Add($"{left.NodeName} was {(change == NodeChange.Killed ? "killed" : "drained")} {at} after the beginning of the load, "
            + $"when it had {left.OwnedLanes.Count} lanes, and was gone {Now()} after it.");
        if (await IsOverAsync(2.0 / 3))
        {
            return;
        }

        at = Now();
        await subject.JoinAsync(CancellationToken.None);
        _notes.Add($"A new node was started {at} after the beginning of the load, and had its share of the lanes {Now()} after it.");
    }

    /// <summary>Waits until that share of the load's time is over; true where the load ended before.</summary>
    private async Task<bool> IsOverAsync(double share)
    {
        var rest = (duration * share) - Stopwatch.GetElapsedTime(_began);
        await Task.Delay(rest > TimeSpan.Zero ? rest : TimeSpan.Zero, _stop.Token)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return _stop.IsCancellationRequested;
    }

    private string Now() => FormattableString.Invariant($"{Stopwatch.GetElapsedTime(_began).TotalSeconds:0.0} s");
}
