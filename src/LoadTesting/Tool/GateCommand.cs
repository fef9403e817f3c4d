using LoadTesting.Core.Analysis.Gating;
using LoadTesting.Core.Reporting.Markdown;
using LoadTesting.Core.Reporting.Tables;

namespace LoadTesting.Tool;

/// <summary><c>wfperf gate</c>: whether a candidate is worse, by stored runs or by interleaved pairs.</summary>
internal sealed class GateCommand(ToolConsole console)
{
    private readonly Argument<string[]> _runs = new("run")
    {
        Description =
            "The baseline (a result, a run's directory, or a directory of stored baselines) and the candidate. Of a "
                + "candidate alone the baseline is what WORKFLOW_PERF_BASELINE names, else the accepted ones of its "
                + "machine class in fixtures/baselines.",
        Arity = new ArgumentArity(0, 2),
    };

    private readonly Option<string?> _pairs = Text("--pairs", "directory",
        "Gate by interleaved pairs in this directory; with --base and --candidate they are recorded into it first.");
    private readonly Option<string?> _base = Text(
        "--base", "command|checkout",
        "Command of the base side; it writes its results where WORKFLOW_PERF_RESULTS says. Or, with --candidate, a "
            + "built checkout: both services are loaded in alternating windows of a second or two.");
    private readonly Option<string?> _candidate =
        Text("--candidate", "command|checkout", "As --base, of the candidate side.");
    private readonly Option<double> _window = new("--window")
    {
        Description = "Length of a window, seconds, 1 to 10.", HelpName = "seconds", DefaultValueFactory = _ => 1.5,
    };

    private readonly Option<string> _profile = new("--profile")
    {
        Description = "Backend of the windows.", HelpName = "name", DefaultValueFactory = _ => "postgres",
    };

    private readonly Option<string?> _scenario = Text(
        "--scenario", "name", "Load of the windows; by default the first that the candidate's suite has.");

    private readonly Option<int> _count = Number(
        "--count", PairGate.DefaultPairs, "Number of valid pairs to record; up to 50 % more replace vetoed pairs.");
    private readonly Option<int?> _maxPairs = new("--max-pairs")
    {
        Description = "Record pairs until the decision is clear, at most this number, instead of a fixed number.",
        HelpName = "number",
    };

    private readonly Option<int> _seed = Number("--seed", 1, "Seed of the order of the sides.");
    private readonly Option<int> _timeout = Number("--timeout", 600, "Longest time of one run, seconds.");
    private readonly Option<string?> _json = Text(
        "--json", "file", "Also write the decision as JSON; with --pairs gate.json in the directory by default.");
    private readonly Option<string?> _markdown = Text(
        "--markdown", "file", "Also write the decision as Markdown; with --pairs gate.md in the directory by default.");

    private readonly Option<bool> _verbose = new("--verbose")
    {
        Description = "Also print what was not gated, row by row; without it a line for each reason.",
    };

    private const int DefaultMaxWindows = 60;

    /// <summary>Time that a window may take in addition to its load.</summary>
    private const double WindowOverheadSeconds = 5;

    public static Command Create(ToolConsole console) => new GateCommand(console).Create();

    private Command Create()
    {
        var command = new Command("gate",
            "Decides whether a candidate is worse than its baseline: Regressed (exit code 1), NotRegressed (0) or "
                + "Inconclusive (3).")
                { _runs };
        foreach (var option in new Option[]
        {
            _pairs, _base, _candidate, _window, _profile, _scenario, _count, _maxPairs, _seed, _timeout, _json,
            _markdown, _verbose,
        })
        {
            command.Add(option);
        }

        command.SetAction(RunAsync);
        return command;
    }

    private Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        var runs = parsed.GetValue(_runs) ?? [];
        return (parsed.GetValue(_pairs), runs) switch
        {
            (null, []) when WindowPairs.AreCheckouts(parsed.GetValue(_base), parsed.GetValue(_candidate)) =>
                GatePairsAsync(parsed, NewDirectory(), cancellationToken),
            ({ } directory, []) => GatePairsAsync(parsed, new PairDirectory(directory), cancellationToken),
            (null, [.., var candidate]) =>
                GateStoredAsync(parsed, runs.Length > 1 ? runs[0] : null, candidate, cancellationToken),
            _ => throw new FormatException(
                "gate takes a baseline and a candidate, or --pairs <directory>, not both; see wfperf gate --help."),
        };
    }

    private async Task<int> GateStoredAsync(
        ParseResult parsed, string? baseline, string candidate, CancellationToken cancellationToken)
    {
        var judged = await ComparisonSource.LoadAsync(candidate, cancellationToken).ConfigureAwait(false);
        baseline ??= RequireStored(candidate, judged.Run);
        var stored = await StoredRuns.LoadAsync(baseline, cancellationToken).ConfigureAwait(false);
        var baselines = stored.Where(source => !Recordings.IsSameRun(source, judged)).ToList();
        if (baselines.Count == 0)
        {
            throw new FormatException($"{baseline}: is the candidate itself, "
                + $"run {judged.Run.RunId}. Name a run of the base.");
        }

        var inputs = baselines.Select(source => source.Label).Append(ComparisonSource.FileOf(candidate));
        return await WriteAsync(
            StoredGate.Judge(baselines, judged), parsed.GetValue(_json), parsed.GetValue(_markdown),
            parsed.GetValue(_verbose), inputs,
            cancellationToken).ConfigureAwait(false);
    }

    /// <exception cref="FormatException">There is no baseline yet; the message has the command that makes
    /// one.</exception>
    private static string RequireStored(string candidate, RunResult run)
    {
        var store = BaselineStore.For(
            Environment.GetEnvironmentVariable(BaselineStore.Variable), Environment.CurrentDirectory,
            run.Environment.MachineClass);
        return store.Files.Count > 0 ? store.DirectoryPath : throw new FormatException(
            $"{store.DirectoryPath} holds no baseline yet: make one of a run of the base with 'wfperf "
                + $"baseline accept {candidate}'.");
    }

    private async Task<int> GatePairsAsync(
        ParseResult parsed, PairDirectory directory, CancellationToken cancellationToken)
    {
        var (reference, candidate) = (parsed.GetValue(_base), parsed.GetValue(_candidate));
        var design = GateDesign.Of(MaxPairs(parsed));
        IReadOnlyList<RecordedPair> pairs;
        if (WindowPairs.AreCheckouts(reference, candidate))
        {
            var recording = WindowsOf(parsed, reference!, candidate!);
            design = recording.Design;
            var timeout = TimeSpan.FromSeconds(InRange(_timeout, parsed, 1, 86_400))
                + (2 * (recording.MaxPairs ?? recording.Pairs)
                    * TimeSpan.FromSeconds(recording.WindowSeconds + WindowOverheadSeconds));
            var windows = new WindowPairs(recording, directory, timeout, console);
            pairs = await Resumable(directory, () => windows.RecordAsync(cancellationToken)).ConfigureAwait(false);
        }
        else if (reference is not null && candidate is not null)
        {
            var timeout = TimeSpan.FromSeconds(InRange(_timeout, parsed, 1, 86_400));
            var count = InRange(_count, parsed, 1, 500);
            var recording = new PairRecording(
                reference, candidate, count, parsed.GetValue(_seed), timeout) { MaxPairs = MaxPairs(parsed) };
            design = recording.Design;
            var recorder = new PairRecorder(recording, directory, console);
            pairs = await Resumable(directory, () => recorder.RecordAsync(cancellationToken)).ConfigureAwait(false);
        }
        else
        {
            var recorded = await PairRecording.ReadAsync(directory, cancellationToken).ConfigureAwait(false);
            design = parsed.GetValue(_maxPairs) is null && recorded is not null ? recorded.Design : design;
            pairs = reference is null && candidate is null
                ? await ReadAsync(directory, cancellationToken).ConfigureAwait(false)
                : throw new FormatException(
                    "--base and --candidate go together: a pair has both sides. "
                        + "Leave both out to gate what is recorded.");
        }

        Recordings.RequireMeasured(
            directory, pairs,
            (await PairRecording.ReadAsync(directory, cancellationToken).ConfigureAwait(false))?.Seed);

        var result = PairGate.Judge(
            pairs, reference ?? $"base side of {directory.Location}",
            candidate ?? $"candidate side of {directory.Location}",
            design);
        var json = parsed.GetValue(_json) ?? Path.Combine(directory.Location, "gate.json");
        var markdown = parsed.GetValue(_markdown) ?? Path.Combine(directory.Location, "gate.md");
        return await WriteAsync(result, json, markdown, parsed.GetValue(_verbose), [], cancellationToken)
            .ConfigureAwait(false);
    }

    private static async Task<IReadOnlyList<RecordedPair>> ReadAsync(
        PairDirectory directory, CancellationToken cancellationToken)
    {
        var pairs = await directory.ReadAllAsync(cancellationToken).ConfigureAwait(false);
        return pairs.Count > 0 ? pairs : throw new FormatException(
            $"{directory.Location}: holds no pair-01/base and pair-01/candidate. "
                + "Record pairs with --base and --candidate.");
    }

    private async Task<int> WriteAsync(
        GateResult result, string? json, string? markdown, bool isVerbose, IEnumerable<string> inputs,
        CancellationToken cancellationToken)
    {
        await OutputFile.WriteAsync(json, () => GateJson.Write(result), inputs, cancellationToken)
            .ConfigureAwait(false);
        await OutputFile.WriteAsync(
            markdown, () => MarkdownDocument.Render(ReportDocument.Of(result, json)), inputs, cancellationToken)
            .ConfigureAwait(false);
        TableOutput.Write(console, GateTables.Statements(result, markdown, isVerbose));
        await console.Out.WriteLineAsync().ConfigureAwait(false);
        TableOutput.Write(console, GateTables.Of(result, isVerbose));
        await OutputFile.ReportAsync(console, json, markdown).ConfigureAwait(false);

        return result.Verdict switch
        {
            GateVerdict.Regressed => ExitCode.Findings,
            GateVerdict.NotRegressed => ExitCode.Success,
            _ => ExitCode.Inconclusive,
        };
    }

    private WindowRecording WindowsOf(ParseResult parsed, string reference, string candidate)
    {
        var window = parsed.GetValue(_window);
        if (!(window is >= 1 and <= 10))
        {
            throw new FormatException(
                string.Create(CultureInfo.InvariantCulture, $"--window is {window}; it is 1 to 10 seconds."));
        }

        var isCounted = parsed.GetResult(_count) is { Implicit: false };
        return new WindowRecording(
            Path.GetFullPath(reference), Path.GetFullPath(candidate), parsed.GetValue(_profile)!, window,
            InRange(_count, parsed, 1, 500),
            parsed.GetValue(_seed))
        {
            Scenario = parsed.GetValue(_scenario),
            MaxPairs = MaxPairs(parsed) ?? (isCounted ? null : DefaultMaxWindows),
        };
    }

    private static PairDirectory NewDirectory() => new(Path.Combine(
        "TestResults", "pairs",
        TimeProvider.System.GetUtcNow().ToString("yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture)));

    private static async Task<IReadOnlyList<RecordedPair>> Resumable(
        PairDirectory directory, Func<Task<IReadOnlyList<RecordedPair>>> record)
    {
        try
        {
            return await record().ConfigureAwait(false);
        }
        catch (OperationCanceledException exception)
        {
            throw new OperationCanceledException(Recordings.Interrupted(directory), exception);
        }
    }

    private int? MaxPairs(ParseResult parsed) =>
        parsed.GetValue(_maxPairs) is not { } most || (most >= PairGate.DefaultPairs && most <= GateDesign.MaxPairs)
            ? parsed.GetValue(_maxPairs)
            : throw new FormatException($"--max-pairs is {most}; it is "
                + $"{PairGate.DefaultPairs} to {GateDesign.MaxPairs}.");

    private static int InRange(Option<int> option, ParseResult parsed, int least, int most) =>
        parsed.GetValue(option) is var value && value >= least && value <= most
            ? value
            : throw new FormatException($"{option.Name} is {value}; it is {least} to {most}.");

    private static Option<string?> Text(string name, string value, string description) =>
        new(name) { Description = description, HelpName = value };

    private static Option<int> Number(string name, int value, string description) =>
        new(name) { Description = description, HelpName = "number", DefaultValueFactory = _ => value };
}

internal static class StoredRuns
{
    /// <summary>
    /// Reads a result, a run's directory, a results directory, or every result in a directory of stored baselines.
    /// </summary>
    /// <exception cref="FileNotFoundException">There is nothing of the kind; the message says what would
    /// do.</exception>
    public static async Task<IReadOnlyList<ComparisonSource>> LoadAsync(
        string path, CancellationToken cancellationToken)
    {
        var files = Directory.Exists(path) && !File.Exists(Path.Combine(path, "run.json"))
            && !Directory.Exists(Path.Combine(path, "latest"))
            ? new BaselineStore(path).Files
            : [];
        var sources = new List<ComparisonSource>();
        foreach (var file in files.Count > 0 ? files : [path])
        {
            sources.Add(await ComparisonSource.LoadAsync(file, cancellationToken).ConfigureAwait(false));
        }

        return sources;
    }
}
