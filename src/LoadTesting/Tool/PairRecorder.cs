using System.Globalization;
using System.Text.Json;
using LoadTesting.Core.Analysis.Gating;

namespace LoadTesting.Tool;

/// <summary>Runs two commands by turns and keeps what they left, pair by pair.</summary>
internal sealed class PairRecorder(PairRecording recording, PairDirectory directory, ToolConsole console)
{
    /// <summary>A command that leaves no result so often in a row will not.</summary>
    private const int MostFailures = 3;

    private static readonly JsonSerializerOptions Readable = new(JsonSerializerDefaults.Web) { WriteIndented = true, NewLine = "\n" };

    private readonly int[] _failures = new int[2];

    /// <summary>Records the pairs, and more in place of those that are vetoed, up to half as many again.</summary>
    /// <exception cref="FormatException">The directory holds pairs already.</exception>
    public async Task<IReadOnlyList<RecordedPair>> RecordAsync(CancellationToken cancellationToken)
    {
        if (directory.Pairs().Count > 0)
        {
            throw new FormatException($"{directory.Location}: holds pairs already, and nothing is recorded over them. Name a fresh directory.");
        }

        var settings = JsonSerializer.Serialize(recording, Readable) + "\n";
        await OutputFile.WriteAsync(Path.Combine(directory.Location, "recording.json"), settings, [], cancellationToken).ConfigureAwait(false);
        var pairs = new List<RecordedPair>();
        foreach (var candidateFirst in PairOrder.CandidateFirst(recording.Seed))
        {
            await RecordAsync(pairs.Count + 1, candidateFirst, cancellationToken).ConfigureAwait(false);
            pairs.Add(await directory.ReadAsync(pairs.Count + 1, cancellationToken).ConfigureAwait(false));
            if (_failures.Max() >= MostFailures || IsEnough(pairs))
            {
                break;
            }
        }

        return pairs;
    }

    private bool IsEnough(List<RecordedPair> pairs)
    {
        if (pairs.Count < recording.Pairs)
        {
            return false;
        }

        var result = PairGate.Judge(pairs, recording.Base, recording.Candidate);
        return pairs.Count >= recording.Pairs + (recording.Pairs / 2)
            || (result.Scenarios.Count > 0 && result.Scenarios.All(row => row.Pairs.Count(pair => pair.IsValid()) >= recording.Pairs));
    }

    private async Task RecordAsync(int pair, bool candidateFirst, CancellationToken cancellationToken)
    {
        foreach (var isCandidate in new[] { candidateFirst, !candidateFirst })
        {
            var name = isCandidate ? "candidate" : "base";
            var command = new LegCommand(isCandidate ? recording.Candidate : recording.Base, recording.Timeout);
            var failure = await command.RunAsync(directory.LegPath(pair, isCandidate), cancellationToken).ConfigureAwait(false);
            var hasResult = File.Exists(Path.Combine(directory.LegPath(pair, isCandidate), "latest", "run.json"));
            _failures[isCandidate ? 1 : 0] = hasResult ? 0 : _failures[isCandidate ? 1 : 0] + 1;
            if (!hasResult)
            {
                failure ??= $"'{(isCandidate ? recording.Candidate : recording.Base)}' ended with 0 and left no result in {LegCommand.ResultsVariable}.";
            }

            if (failure is not null)
            {
                await OutputFile.WriteAsync(directory.FailurePath(pair, isCandidate), failure + "\n", [], cancellationToken).ConfigureAwait(false);
            }

            var line = string.Create(CultureInfo.InvariantCulture, $"Pair {pair} of {recording.Pairs}, {name}: {(failure is null ? "done" : failure)}");
            await console.Out.WriteLineAsync(line).ConfigureAwait(false);
        }
    }
}
