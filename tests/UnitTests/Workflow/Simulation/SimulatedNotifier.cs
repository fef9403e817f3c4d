using Workflow.Abstractions.Notifications;

namespace UnitTests.Workflow.Simulation;

/// <summary>Notifications between the nodes: they come late, more than once, or not at all.</summary>
internal sealed class SimulatedNotifier(Network network, SimulatedProcess own, List<SimulatedNotifier> all) : INotifier
{
    private Action<int>? _wake;

    public string Description => "simulation";
    public NotificationCounts Counts => new(0, 0, 0, 0);

    public Task ListenAsync(Action<int> wake, CancellationToken cancellationToken)
    {
        _wake = wake;
        all.Add(this);
        return Task.CompletedTask;
    }

    public void Send(int lane)
    {
        foreach (var other in all.Where(n => n != this && !network.LosesNotification()))
        {
            other.Deliver(lane, network.Latency());
        }
    }

    public ValueTask DisposeAsync()
    {
        all.Remove(this);
        return ValueTask.CompletedTask;
    }

    private void Deliver(int lane, TimeSpan after) => own.Post(() => _wake!(lane), after);
}
