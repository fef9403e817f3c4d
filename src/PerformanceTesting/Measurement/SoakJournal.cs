namespace PerformanceTesting.Measurement;

/// <summary>
/// What a soak has measured so far, in a file that outlives the process: a line at its beginning, one for each
/// interval, one at its end. After a crash or a kill the rest of the time can be run, and the result says what was
/// measured before.
/// </summary>
/// <remarks>
/// A line that was not written whole is left out. What was in flight when a process died has no account: only the last
/// segment's ledger is the result's, and leaks are judged within a segment.
/// </remarks>
public sealed class SoakJournal : IRunObserver, ILoadWatcher
{
    /// <summary>The variable that asks for the rest of an unfinished soak.</summary>
    public const string ResumeName = "WORKFLOW_PERF_RESUME";

    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(5);

    private readonly string _path;
    private readonly Line _begin;
    private readonly LatencyHistogram _latency = new();
    private long _completed;
    private long _failed;
    private TimeSpan _measured;

    private SoakJournal(string path, Line begin, IReadOnlyList<SoakSegment> earlier) =>
        (_path, _begin, Earlier) = (path, begin, earlier);

    public TimeSpan Every => TimeSpan.FromSeconds(5);

    /// <summary>The segments of processes that died before; empty where this one is the first.</summary>
    public IReadOnlyList<SoakSegment> Earlier { get; }

    /// <summary>How long the load is still to last.</summary>
    public TimeSpan Remaining
    {
        get
        {
            var rest = TimeSpan.FromSeconds(_begin.PlannedSeconds)
                - TimeSpan.FromMilliseconds(Earlier.Sum(segment => segment.DurationMs));
            return rest > Shortest ? rest : Shortest;
        }
    }

    /// <summary>
    /// Opens the journal of a soak: a new one, or with <paramref name="resumes"/> that of an unfinished one.
    /// </summary>
    /// <param name="directory">Where journals are; made when it is missing.</param>
    /// <param name="name">The full name of the scenario.</param>
    /// <param name="commit">What is measured; null outside of a repository.</param>
    /// <param name="planned">How long the soak is to last in all.</param>
    /// <param name="resumes">Whether to go on where another process ended.</param>
    /// <exception cref="ArgumentException">The unfinished soak is of another commit or length.</exception>
    public static SoakJournal Open(string directory, string name, string? commit, TimeSpan planned, bool resumes)
    {
        Directory.CreateDirectory(directory);
        var path = Path.Combine(directory, name + ".jsonl");
        var begin = new Line { Begun = TimeProvider.System.GetUtcNow(), Commit = commit ?? "none",
            PlannedSeconds = planned.TotalSeconds };
        var lines = resumes && File.Exists(path) ? Read(path) : [];
        if (lines.Count == 0 || lines.Any(line => line.Ended))
        {
            File.Delete(path);
            return new SoakJournal(path, begin, []);
        }

        var first = lines[0];
        return first.Commit == begin.Commit && first.PlannedSeconds == begin.PlannedSeconds
            ? new SoakJournal(path, begin, Segments(lines))
            : throw new ArgumentException(
                $"{ResumeName}=1, and the unfinished soak in {path} is of commit {first.Commit} and "
                    + $"{first.PlannedSeconds:0} s, this one of {begin.Commit} and {begin.PlannedSeconds:0} s. Check "
                    + "out that commit and ask for that time, or delete the file.");
    }

    public Task StartAsync(CancellationToken cancellationToken)
    {
        Write(_begin);
        return Task.CompletedTask;
    }

    public string? Look(LoadInterval interval)
    {
        var latency = LatencyHistogram.MergeAll(interval.Scenarios.Select(scenario => scenario.Ok.Latency));
        var (completed, failed) =
            (interval.Scenarios.Sum(scenario => scenario.Ok.Count), interval.Scenarios.Sum(s => s.Fail.Count));
        Write(new Line
        {
            ToSeconds = interval.To.TotalSeconds, Completed = completed, Failed = failed,
            Latency = latency.ToSparseString(),
        });
        _latency.Merge(latency);
        (_completed, _failed, _measured) = (_completed + completed, _failed + failed, interval.To);
        return null;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void AddTo(RunEvidence evidence)
    {
        if (!evidence.Load.IsInterrupted)
        {
            Write(new Line { Ended = true });
        }

        if (Earlier.Count == 0)
        {
            return;
        }

        var failed = Earlier.Sum(segment => segment.Failed);
        evidence.Checks.Add(CheckResult.AtMost(
            "earlierSegments", CheckSubject.System, failed,
            0, $"{Quantity.Of((long)failed, "operation")} failed in the segments before this one"));
        SoakSegment[] segments =
            [.. Earlier, Segment(_begin, _measured.TotalSeconds, _completed, _failed, _latency, died: false)];
        evidence.Segments = segments;
        evidence.Notes.Add(
            $"Resumed: {segments.Length} segments, {segments.Sum(segment => segment.DurationMs) / 1000:0} s in all; "
                + "the processes of those before died. Ledger, latency and timeline are of the last one, and leaks "
                + "are judged within a segment.");
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private static List<Line> Read(string path)
    {
        var lines = new List<Line>();
        foreach (var text in File.ReadAllLines(path))
        {
            try
            {
                lines.Add(JsonSerializer.Deserialize<Line>(text)!);
            }
            catch (JsonException)
            {
                // The process died while it wrote this line: what was measured since the line before is not known.
            }
        }

        return lines is [{ Begun: not null }, ..] ? lines : [];
    }

    private static List<SoakSegment> Segments(List<Line> lines)
    {
        var segments = new List<SoakSegment>();
        for (var first = 0; first < lines.Count;)
        {
            var measured = lines.Skip(first + 1).TakeWhile(line => line.Begun is null).ToList();
            segments.Add(Segment(
                lines[first], measured.Count == 0 ? 0 : measured[^1].ToSeconds, measured.Sum(line => line.Completed),
                measured.Sum(line => line.Failed),
                LatencyHistogram.MergeAll(measured.Select(line => LatencyHistogram.Parse(line.Latency!))),
                died: true));
            first += 1 + measured.Count;
        }

        return segments;
    }

    private static SoakSegment Segment(
        Line begin, double seconds, long completed, long failed, LatencyHistogram latency, bool died) => new()
    {
        StartedUtc = begin.Begun!.Value,
        DurationMs = seconds * 1000,
        Completed = completed,
        Failed = failed,
        Latency = LatencyResult.From(latency),
        Died = died,
    };

    /// <summary>On the disk before the next interval is measured.</summary>
    private void Write(Line line)
    {
        using var file = new FileStream(_path, FileMode.Append, FileAccess.Write, FileShare.Read);
        file.Write([.. JsonSerializer.SerializeToUtf8Bytes(line), (byte)'\n']);
        file.Flush(flushToDisk: true);
    }

    private sealed record Line
    {
        public DateTimeOffset? Begun { get; init; }
        public string? Commit { get; init; }
        public double PlannedSeconds { get; init; }
        public double ToSeconds { get; init; }
        public long Completed { get; init; }
        public long Failed { get; init; }
        public string? Latency { get; init; }
        public bool Ended { get; init; }
    }
}
