using LoadTesting.Core.Analysis.Gating;

namespace LoadTesting.Tool;

/// <summary>Runs two commands alternately and keeps their results, pair by pair.</summary>
internal sealed class PairRecorder(PairRecording recording, PairDirectory directory, ToolConsole console)
{
    /// <summary>Recording ends after this many failures of one side in a row.</summary>
    private const int MaxFailures = 3;

    private readonly int[] _failures = new int[2];

    /// <summary>
    /// Records the pairs, and more in place of those that are vetoed, up to half as many again; or, where asked for,
    /// until it is clear.
    /// </summary>
    /// <exception cref="FormatException">The directory holds another recording, or one that is complete.</exception>
    public async Task<IReadOnlyList<RecordedPair>> RecordAsync(CancellationToken cancellationToken)
    {
        await Recordings.BeginAsync(directory, recording.ToJson(), cancellationToken).ConfigureAwait(false);
        var pairs = new List<RecordedPair>();
        foreach (var candidateFirst in PairOrder.CandidateFirst(recording.Seed))
        {
            if (!Directory.Exists(directory.SidePath(pairs.Count + 1, isCandidate: true)))
            {
                await RecordAsync(pairs.Count + 1, candidateFirst, cancellationToken).ConfigureAwait(false);
            }

            pairs.Add(await directory.ReadAsync(pairs.Count + 1, cancellationToken).ConfigureAwait(false));
            if (_failures.Max() >= MaxFailures || IsEnough(pairs))
            {
                break;
            }
        }

        return pairs;
    }

    private bool IsEnough(List<RecordedPair> pairs)
    {
        if (recording.Design is { IsSequential: true } design)
        {
            return PairGate.MayEnd(pairs, recording.Base, recording.Candidate, design);
        }

        if (pairs.Count < recording.Pairs)
        {
            return false;
        }

        var result = PairGate.Judge(pairs, recording.Base, recording.Candidate);
        return pairs.Count >= recording.Pairs + (recording.Pairs / 2)
            || (result.Scenarios.Count > 0
                && result.Scenarios.All(row => row.Pairs.Count(pair => pair.IsValid()) >= recording.Pairs));
    }

    private async Task RecordAsync(int pair, bool candidateFirst, CancellationToken cancellationToken)
    {
        await OutputFile.WriteAsync(directory.UnfinishedPath(pair), "", [], cancellationToken).ConfigureAwait(false);
        foreach (var isCandidate in new[] { candidateFirst, !candidateFirst })
        {
            var name = isCandidate ? "candidate" : "base";
            var command = new SideCommand(isCandidate ? recording.Candidate : recording.Base, recording.Timeout);
            var failure =
                await command.RunAsync(directory.SidePath(pair, isCandidate), cancellationToken).ConfigureAwait(false);
            var hasResult = File.Exists(Path.Combine(directory.SidePath(pair, isCandidate), "latest", "run.json"));
            _failures[isCandidate ? 1 : 0] = hasResult ? 0 : _failures[isCandidate ? 1 : 0] + 1;
            if (!hasResult)
            {
                failure ??= $"'{(isCandidate ? recording.Candidate : recording.Base)}' ended with 0 and left no result "
                    + $"in {SideCommand.ResultsVariable}.";
            }

            if (failure is not null)
            {
                await OutputFile.WriteAsync(
                    directory.FailurePath(pair, isCandidate), failure + "\n", [], cancellationToken)
                    .ConfigureAwait(false);
            }

            var line = string.Create(
                CultureInfo.InvariantCulture, $"Pair {pair} of {recording.Most}, {name}: {(failure is null ? "done" : failure)}");
            await console.Out.WriteLineAsync(line).ConfigureAwait(false);
        }

        File.Delete(directory.UnfinishedPath(pair));
    }
}

/// <summary>
/// Runs what a user typed for one side, by the shell, with the results variable set to the side's directory.
/// </summary>
internal sealed class SideCommand(string command, TimeSpan timeout)
{
    public const string ResultsVariable = "WORKFLOW_PERF_RESULTS";
    public const string OutputFile = "output.txt";

    /// <summary>Runs the command to its end; its output goes to a file in the directory.</summary>
    /// <returns>Null when it ended with 0; else how it ended, with the tail of its output.</returns>
    public async Task<string?> RunAsync(string directory, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(directory);
        var writer = new StreamWriter(Path.Combine(directory, OutputFile));
        await using var closing = writer.ConfigureAwait(false);
        var ended = await BoundedProcess.RunAsync(Shell(directory), timeout, writer.WriteLineAsync, cancellationToken)
            .ConfigureAwait(false);
        return ended is null ? null : $"'{command}' {ended}";
    }

    private ProcessStartInfo Shell(string directory)
    {
        var start = OperatingSystem.IsWindows()
            ? new ProcessStartInfo("cmd.exe") { Arguments = "/d /s /c \"" + command + "\"" }
            : new ProcessStartInfo("/bin/sh", ["-c", command]);
        start.Environment[ResultsVariable] = Path.GetFullPath(directory);
        return start;
    }
}
