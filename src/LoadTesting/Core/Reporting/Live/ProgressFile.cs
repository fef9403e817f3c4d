using Foundation;

namespace LoadTesting.Core.Reporting.Live;

/// <summary>
/// <c>run.progress</c> in a run's directory: what the run does, replaced whole once a second, and how it ended. <c>wfperf watch</c>
/// reads it.
/// </summary>
/// <param name="directory">The run's directory.</param>
public sealed class ProgressFile(string directory) : IProgressOutput
{
    public const string FileName = "run.progress";

    // As results are: it holds some.
    private static readonly JsonSerializerOptions Json = ResultJson.CreateOptions(JsonUnmappedMemberHandling.Skip);

    private readonly string _path = Path.Combine(directory, FileName);

    public void Show(RunProgressSnapshot run)
    {
        var temporary = Path.Combine(directory, $".{FileName}.tmp");
        File.WriteAllText(temporary, JsonSerializer.Serialize(run, Json) + "\n", new UTF8Encoding(encoderShouldEmitUTF8Identifier: false));
        File.Move(temporary, _path, overwrite: true);
    }

    public void Dispose()
    {
        // The file stays: it says how the run ended.
    }

    /// <summary>The file that is meant.</summary>
    /// <param name="path">The file, a run's directory, or a results directory: then the run in it that last said something.</param>
    /// <exception cref="FormatException">There is none; the message says what would be.</exception>
    public static string Find(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        if (File.Exists(path) && Path.GetFileName(path) == FileName)
        {
            return path;
        }

        if (File.Exists(path) && File.Exists(Path.Combine(Path.GetDirectoryName(Path.GetFullPath(path))!, FileName)))
        {
            return Path.Combine(Path.GetDirectoryName(Path.GetFullPath(path))!, FileName);
        }

        if (!Directory.Exists(path))
        {
            throw new FormatException(
                $"{path}: {(File.Exists(path) ? $"has no {FileName} beside it" : "is not there")}. Name a run's directory, or the results "
                + "directory that holds the runs.");
        }

        return File.Exists(Path.Combine(path, FileName))
            ? Path.Combine(path, FileName)
            : Directory.EnumerateDirectories(path).Select(run => Path.Combine(run, FileName)).Where(File.Exists)
                .MaxBy(File.GetLastWriteTimeUtc)
                ?? throw new FormatException(
                    $"{path}: holds no {FileName}, nor does a directory in it. A run keeps one from its first scenario on.");
    }

    /// <exception cref="FormatException">It is no such file.</exception>
    public static async Task<RunProgressSnapshot> ReadAsync(string file, CancellationToken cancellationToken)
    {
        try
        {
            var text = await File.ReadAllTextAsync(file, cancellationToken).ConfigureAwait(false);
            return JsonSerializer.Deserialize<RunProgressSnapshot>(text, Json) is { Process: not null } run
                ? run
                : throw new FormatException($"{file}: is no progress of a run.");
        }
        catch (JsonException exception)
        {
            throw new FormatException($"{file}: is no progress of a run: {exception.Message}", exception);
        }
    }
}

/// <summary>How a run stands that is followed from elsewhere.</summary>
public enum WatchState
{
    Running,

    Ended,

    /// <summary>Somebody ended it before its time; its results are partial.</summary>
    Interrupted,

    /// <summary>Its process is gone, or its machine was restarted, and it never said that it ended.</summary>
    Killed,

    /// <summary>It should go on, and has not been heard of for a while.</summary>
    Silent,
}

/// <summary>What is known of a run that is followed from elsewhere.</summary>
/// <param name="State">How it stands.</param>
/// <param name="Sentence">The same for people, with what it rests on.</param>
public sealed record RunWatch(WatchState State, string Sentence)
{
    /// <summary>A run that has said nothing for so long may be gone: ten times as long as it takes between two words.</summary>
    public static TimeSpan SilentAfter { get; } = TimeSpan.FromSeconds(10);

    /// <param name="run">What the run said last.</param>
    /// <param name="nowUtc">The time here.</param>
    /// <param name="isAlive">Whether a process of this machine runs.</param>
    /// <param name="bootId">Its boot.</param>
    public static RunWatch Of(
        RunProgressSnapshot run, DateTimeOffset nowUtc, Func<ProcessOwner, bool> isAlive, string machine, string bootId)
    {
        ArgumentNullException.ThrowIfNull(run);
        ArgumentNullException.ThrowIfNull(isAlive);
        var quiet = nowUtc - run.UpdatedUtc;
        var results = ProgressText.Results(run);
        var since = $"it was last heard of {ProgressText.Span(quiet.TotalSeconds)} ago, {results}";
        return run.State switch
        {
            RunState.Ended => new(WatchState.Ended, $"The run has ended; {results}."),
            RunState.Interrupted => new(WatchState.Interrupted, $"The run was interrupted, and its results are partial; {results}."),
            RunState.Killed => new(
                WatchState.Killed, $"The run was killed: process {run.Process.Id} is gone, and its results are partial; {results}."),
            _ when run.Machine == machine && run.BootId != bootId =>
                new(WatchState.Killed, $"The run was killed: the machine has been restarted since; {since}."),
            _ when run.Machine == machine && !isAlive(run.Process) =>
                new(WatchState.Killed, $"The run was killed: process {run.Process.Id} is gone; {since}."),
            _ when quiet > SilentAfter => new(WatchState.Silent, run.Machine == machine
                ? $"The run hangs: process {run.Process.Id} is there, and {since}."
                : $"The run is on another machine, {run.Machine}, and may be gone: {since}."),
            _ => new(WatchState.Running, $"The run goes on; {results}."),
        };
    }
}
