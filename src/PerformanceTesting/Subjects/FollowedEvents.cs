using Workflow.Contracts.Events;

namespace PerformanceTesting.Subjects;

/// <summary>
/// The events of one correlation key, with their content, in order of arrival. Dispose it to stop following.
/// Thread-safe.
/// </summary>
public sealed class FollowedEvents(Action stop) : IDisposable
{
    private readonly ConcurrentQueue<IntegrationEvent> _events = new();

    /// <summary>Everything that has come.</summary>
    public IReadOnlyCollection<IntegrationEvent> All => _events;

    /// <summary>The one event of a type that has come.</summary>
    /// <exception cref="InvalidOperationException">There is none, or more than one.</exception>
    public T Only<T>()
        where T : IntegrationEvent => _events.OfType<T>().ToArray() is [var only]
            ? only
            : throw new InvalidOperationException(
                $"One {typeof(T).Name} is due; there came: {string.Join(", ", _events.Select(e => e.Type))}.");

    public void Dispose() => stop();

    internal void Add(IntegrationEvent received) => _events.Enqueue(received);
}
