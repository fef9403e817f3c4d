using System.Diagnostics.CodeAnalysis;

namespace Workflow.Engine.Signals;

/// <summary>The stored signals of a lane by id, and the size of their payloads.</summary>
internal sealed class StoredSignals
{
    private readonly Dictionary<Guid, AcceptedSignal> _signals = [];

    public int Count => _signals.Count;

    /// <summary>The number of characters of all payloads.</summary>
    public long Size { get; private set; }

    public void Add(Guid id, AcceptedSignal signal)
    {
        _signals.Add(id, signal);
        Size += SizeOf(signal);
    }

    public bool Remove(Guid id)
    {
        if (!_signals.Remove(id, out var signal))
        {
            return false;
        }

        Size -= SizeOf(signal);
        return true;
    }

    public bool ContainsKey(Guid id) => _signals.ContainsKey(id);
    public bool TryGetValue(Guid id, [MaybeNullWhen(false)] out AcceptedSignal signal) =>
        _signals.TryGetValue(id, out signal);

    private static int SizeOf(AcceptedSignal signal) => signal.Payload?.Length ?? 0;
}
