using LoadTesting.Core.Analysis.Gating;

namespace LoadTesting.Tool;

/// <summary>
/// Records pairs of windows: the performance tests of the candidate start the services of both checkouts and load them
/// alternately.
/// </summary>
internal sealed class WindowPairs(
    WindowRecording recording, PairDirectory directory, TimeSpan timeout, ToolConsole console)
{
    private const string Tests = "tests/PerformanceTests";
    private const string Built = Tests + "/bin/Debug/net10.0/";
    private const string Suite = Built + "PerformanceTests.dll";

    // So that a suite that does not know the variable runs no test.
    private static readonly string[] NoTest = ["-trait", "Category=None"];

    /// <summary>Whether both sides are checkouts, not commands.</summary>
    public static bool AreCheckouts(string? reference, string? candidate) =>
        Directory.Exists(reference) && Directory.Exists(candidate);

    /// <exception cref="FormatException">A checkout is not built, or nothing could be recorded; the message says
    /// why.</exception>
    public async Task<IReadOnlyList<RecordedPair>> RecordAsync(CancellationToken cancellationToken)
    {
        foreach (var checkout in new[] { recording.Base, recording.Candidate })
        {
            if (!File.Exists(Path.Combine(checkout, Suite)))
            {
                throw new FormatException($"{checkout}: is not built. dotnet build {Path.Combine(checkout, Tests)}");
            }

            if (Recordings.FindNewerSource(checkout, Path.Combine(checkout, Built)) is { } newer)
            {
                throw new FormatException(
                    $"{checkout}: is built from older sources: {newer} has changed since. "
                        + $"dotnet build {Path.Combine(checkout, Tests)}");
            }
        }

        await Recordings.BeginAsync(directory, recording.ToJson(), cancellationToken).ConfigureAwait(false);
        var failure = await RunAsync(cancellationToken).ConfigureAwait(false);
        var pairs = await directory.ReadAllAsync(cancellationToken).ConfigureAwait(false);
        return failure is null && pairs.Count > 0
            ? pairs
            : throw new FormatException($"{directory.Location}: {pairs.Count} pairs were recorded: {failure ?? "the suite of the candidate "
                + "does not record windows; gate it by commands"}");
    }

    /// <returns>How it failed; null when it did not.</returns>
    private async Task<string?> RunAsync(CancellationToken cancellationToken)
    {
        var start =
            new ProcessStartInfo("dotnet", [Path.GetFullPath(Path.Combine(recording.Candidate, Suite)), .. NoTest]);
        start.Environment[WindowRecording.DirectoryVariable] = Path.GetFullPath(directory.Location);
        var ended = await BoundedProcess.RunAsync(start, timeout, TakeAsync, cancellationToken).ConfigureAwait(false);
        return ended is null ? null : $"it {ended}";

        Task TakeAsync(string line) =>
            line.StartsWith("Pair ", StringComparison.Ordinal) ? console.Out.WriteLineAsync(line) : Task.CompletedTask;
    }
}
