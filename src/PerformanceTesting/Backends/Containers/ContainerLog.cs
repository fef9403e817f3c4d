namespace PerformanceTesting.Backends.Containers;

/// <summary>The last lines that a container writes, followed while it runs, so that they are at hand when it is gone. Thread-safe.</summary>
internal sealed class ContainerLog
{
    private const int Lines = 40;

    private readonly Lock _lock = new();
    private readonly Queue<string> _lines = new();
    private string _open = "";

    /// <summary>What was written last, in words.</summary>
    public string Tail
    {
        get
        {
            lock (_lock)
            {
                return _lines.Count == 0 && _open.Length == 0
                    ? "The container has written no log."
                    : $"Last lines of the container's log:{Environment.NewLine}{string.Join(Environment.NewLine, [.. _lines, .. _open.Length > 0 ? [_open] : Array.Empty<string>()])}";
            }
        }
    }

    /// <summary>Takes a piece of text, which may end anywhere.</summary>
    public void Add(string text)
    {
        lock (_lock)
        {
            var parts = (_open + text).Split('\n');
            foreach (var line in parts[..^1])
            {
                _lines.Enqueue(line.TrimEnd('\r'));
                if (_lines.Count > Lines)
                {
                    _lines.Dequeue();
                }
            }

            _open = parts[^1];
        }
    }
}
