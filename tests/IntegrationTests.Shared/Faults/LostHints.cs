using Workflow.Abstractions.Hints;

namespace IntegrationTests.Shared.Faults;

/// <summary>Listens as the inner one does, and loses every hint: none is sent, and none that comes is passed on.</summary>
public sealed class LostHints(IWakeHints inner) : IWakeHints
{
    private long _lost;

    public string Description => $"{inner.Description}, every hint lost";

    public WakeHintCounts Counts => inner.Counts with { Lost = inner.Counts.Lost + Interlocked.Read(ref _lost) };

    public Task ListenAsync(Action<int> wake, CancellationToken cancellationToken) => inner.ListenAsync(_ => { }, cancellationToken);

    public void Send(int lane) => Interlocked.Increment(ref _lost);

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}
