namespace PerformanceTesting.Subjects;

/// <summary>The last lines that a process wrote.</summary>
internal sealed class OutputTail
{
    private const int KeptLines = 60;
    private readonly Queue<string> _lines = new();

    public void Add(string line)
    {
        lock (_lines)
        {
            _lines.Enqueue(line);
            if (_lines.Count > KeptLines)
            {
                _lines.Dequeue();
            }
        }
    }

    public override string ToString()
    {
        lock (_lines)
        {
            return _lines.Count == 0 ? "(it wrote nothing)" : string.Join(Environment.NewLine, _lines);
        }
    }
}
