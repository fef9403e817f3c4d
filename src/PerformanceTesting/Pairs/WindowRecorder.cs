using LoadTesting.Core.Analysis.Gating;
using LoadTesting.Core.Reporting;
using PerformanceTesting.Backends;
using PerformanceTesting.Subjects;

namespace PerformanceTesting.Pairs;

/// <summary>
/// Records pairs of windows: starts the services of two builds, each on a database of its own, warms both up until they
/// are as fast as they get, and loads them by turns. A window is a measurement like any other: its account is checked,
/// and what service and store counted.
/// </summary>
/// <param name="catalog">Has the backend.</param>
/// <param name="directory">Where pairs go; what is there already is left, and the recording goes on behind it.</param>
/// <param name="scenario">The load of a window of this length.</param>
/// <param name="output">Takes a line for each pair.</param>
/// <param name="injection">A regression on purpose, in the candidate; null for none.</param>
public sealed class WindowRecorder(
    BackendCatalog catalog, PairDirectory directory, WindowRecording recording,
    Func<TimeSpan, WorkflowScenario> scenario,
    TextWriter output, IFaultInjection? injection = null)
{
    private const string Service = "tests/PerformanceTests/bin/Debug/net10.0/Workflow.WebService.dll";
    private const int FewestWarmUps = 3;

    /// <summary>Two windows after each other that differ by no more than this share are as fast as it gets.</summary>
    private const double Settled = 0.1;

    private static readonly TimeSpan Rest = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// How long events are listened to after the last window: one that comes a second time may come late.
    /// </summary>
    private static readonly TimeSpan ListeningTime = TimeSpan.FromSeconds(1);

    /// <summary>The service's assembly of a checkout, where building its performance tests puts it.</summary>
    public static string ServiceOf(string checkout) => Path.GetFullPath(Path.Combine(checkout, Service));

    /// <exception cref="ArgumentException">
    /// The injection is one into the store of an engine in this process.
    /// </exception>
    public async Task RecordAsync(CancellationToken cancellationToken)
    {
        if (injection is { IsInStore: true })
        {
            throw new ArgumentException(WorkflowArrangement.InProcessOnlyReason(injection));
        }

        var backend = await catalog.OpenAsync(recording.Profile, cancellationToken);
        using var writer = await ResultWriter.CreateAsync(
            new() { ResultsDirectory = Path.Combine(directory.Location, "generator"),
                RepositoryDirectory = Checkout.Root },
            cancellationToken);
        await writer.SetBackendAsync(
            recording.Profile, await backend.DescribeAsync(cancellationToken), cancellationToken);
        await using var reference = await StartAsync(backend, recording.Base, isCandidate: false, cancellationToken);
        await using var candidate =
            await StartAsync(backend, recording.Candidate, isCandidate: true, cancellationToken);
        await WarmUpAsync(reference, candidate, cancellationToken);

        // Only now, so that what happens once happens in a window that counts.
        if (candidate.Arranged?.System is WorkflowSubject subject)
        {
            subject.Observer.Fault = injection?.Plant();
        }

        var pairs = new List<RecordedPair>();
        foreach (var number in directory.Pairs())
        {
            pairs.Add(await directory.ReadAsync(number, cancellationToken));
        }

        while (!recording.IsEnough(pairs))
        {
            var number = pairs.Count + 1;
            var candidateFirst = PairOrder.CandidateFirst(recording.Seed).ElementAt(number - 1);
            foreach (var side in candidateFirst ? [candidate, reference] : new[] { reference, candidate })
            {
                await RecordAsync(side, number, writer.Run, cancellationToken);
            }

            pairs.Add(await directory.ReadAsync(number, cancellationToken));
            await output.WriteLineAsync(string.Create(
                CultureInfo.InvariantCulture,
                $"Pair {number} of {(recording.MaxPairs is { } most ? $"at most {most}" : recording.Pairs)}: base {Said(pairs[^1].Base)}, "
                + $"candidate {Said(pairs[^1].Candidate)}"));
            if (reference.Failure is not null || candidate.Failure is not null)
            {
                // A service that is gone does not come back, and this pair says so.
                break;
            }
        }

        await Task.Delay(ListeningTime, cancellationToken);
        foreach (var side in new[] { reference, candidate })
        {
            await CloseAsync(side, stillOpen: 0, cancellationToken);
        }
    }

    private static string Said(ComparisonSource? source) => source?.Run.Scenarios is [var only]
        ? string.Create(CultureInfo.InvariantCulture, $"{only.ThroughputPerSecond:0} /s")
        : "no result";

    private async Task<Side> StartAsync(
        Backend backend, string checkout, bool isCandidate, CancellationToken cancellationToken)
    {
        var side = new Side(isCandidate, (await SourceRevision.FindAsync(checkout, cancellationToken)).Commit);
        await side.TryAsync(async () => side.Arranged = await new WorkflowArrangement
        {
            Scenarios = [scenario(TimeSpan.FromSeconds(recording.WindowSeconds))],
            Backend = backend,
            Hosting = HostingKind.Http,
            ServiceAssembly = ServiceOf(checkout),
        }.ArrangeAsync(cancellationToken));
        return side;
    }

    /// <summary>By turns, as they will be measured.</summary>
    private async Task WarmUpAsync(Side reference, Side candidate, CancellationToken cancellationToken)
    {
        var before = (Base: 0.0, Candidate: 0.0);
        for (var round = 1; round <= recording.MostWarmUps; round++)
        {
            var now = (Base: await SpeedAsync(reference, cancellationToken),
                Candidate: await SpeedAsync(candidate, cancellationToken));
            if (round >= FewestWarmUps && IsSettled(before.Base, now.Base)
                && IsSettled(before.Candidate, now.Candidate))
            {
                break;
            }

            before = now;
        }

        static bool IsSettled(double before, double now) => Math.Abs(now - before) <= Settled * before;
    }

    private static async Task<double> SpeedAsync(Side side, CancellationToken cancellationToken)
    {
        var speed = 0.0;
        await side.TryAsync(async () =>
        {
            var (run, awaiter) = await MeasureAsync(side, cancellationToken);
            side.WarmUp ??= new WarmUpLog();
            side.WarmUp.Add(run.Evidence.Load, [.. side.Arranged!.Scenarios.Select(scenario => scenario.Batch!)]);
            side.WarmUp.Add(awaiter);
            speed = run.Total.ThroughputPerSecond;
        });
        return speed;
    }

    /// <param name="side">The service.</param>
    /// <param name="cancellationToken">Ends the measurement.</param>
    /// <param name="warmUp">The windows before that warmed it up; null where this one does.</param>
    private static async Task<LateEvents> MeasureAsync(
        Side side, CancellationToken cancellationToken, WarmUpLog? warmUp = null)
    {
        var run =
            await MeasurementPipeline.MeasureAsync(side.Arranged!, engine: null, cancellationToken, warmUp: warmUp);
        var events = new LateEvents(run, side.Arranged!.System.Awaiter);
        await Task.Delay(Rest, cancellationToken);
        return events;
    }

    private async Task RecordAsync(Side side, int number, RunResult run, CancellationToken cancellationToken)
    {
        LateEvents? events = null;
        var warmUp = side.WarmUp;
        side.WarmUp = null; // The first window that counts says what went wrong before it.
        await side.TryAsync(async () => events = await MeasureAsync(side, cancellationToken, warmUp));
        Directory.CreateDirectory(Path.Combine(directory.SidePath(number, side.IsCandidate), "latest"));
        if (events is null)
        {
            await File.WriteAllTextAsync(
                directory.FailurePath(number, side.IsCandidate), side.Failure + "\n", cancellationToken);
            return;
        }

        var window = run with
        {
            RunId = string.Create(CultureInfo.InvariantCulture, $"{run.RunId}-{number:00}-{side.Name}"),
            CreatedUtc = TimeProvider.System.GetUtcNow(),
            Commit = side.Commit,
            Dirty = null,
        };
        await WriteAsync(side, number, window, events.Run.Total, cancellationToken);
        side.Open.Enqueue((number, window, events));

        // The events of a window are listened to during the side's next one.
        await CloseAsync(side, stillOpen: 1, cancellationToken);
    }

    /// <summary>Fails windows of which an event came a second time after their verdict.</summary>
    private async Task CloseAsync(Side side, int stillOpen, CancellationToken cancellationToken)
    {
        while (side.Open.Count > stillOpen)
        {
            var (number, window, events) = side.Open.Dequeue();
            if (events.ResultNow() is { } result)
            {
                await WriteAsync(side, number, window, result, cancellationToken);
            }
        }
    }

    /// <summary>
    /// A window is too short to say whether it is steady, and need not be: what is wrong with its account is in its
    /// verdict, and what was wrong with the machine in its vetoes.
    /// </summary>
    private Task WriteAsync(
        Side side, int number, RunResult window, ScenarioResult result, CancellationToken cancellationToken) =>
        File.WriteAllTextAsync(
            Path.Combine(directory.SidePath(number, side.IsCandidate), "latest", "run.json"),
            ResultJson.Write(window with
            {
                Scenarios =
                [
                    result with
                    {
                        Validity = result.Validity! with { Checks = [] },
                        Injected = side.IsCandidate ? injection?.Name : null,
                    },
                ],
            }),
            cancellationToken);

    /// <summary>The service of one build.</summary>
    private sealed class Side(bool isCandidate, string? commit) : IAsyncDisposable
    {
        public bool IsCandidate => isCandidate;

        public string Name => isCandidate ? "candidate" : "base";

        public string? Commit => commit;

        public Arrangement? Arranged { get; set; }

        /// <summary>The windows that warmed it up, until one that counts has said what was seen of them.</summary>
        public WarmUpLog? WarmUp { get; set; }

        /// <summary>Windows whose events may still come.</summary>
        public Queue<(int Number, RunResult Window, LateEvents Events)> Open { get; } = [];

        /// <summary>Why the service is of no use any more; null as long as it is.</summary>
        public string? Failure { get; private set; }

        /// <summary>
        /// Does something with the service, unless it has failed; whatever goes wrong is the side's failure, and not
        /// the recording's.
        /// </summary>
        public async Task TryAsync(Func<Task> action)
        {
            if (Failure is not null)
            {
                return;
            }

            try
            {
                await action();
            }
            catch (Exception exception) when (exception is not OperationCanceledException)
            {
                Failure = $"The service of the {Name} failed: {exception.Message}";
            }
        }

        public ValueTask DisposeAsync() => Arranged?.DisposeAsync() ?? ValueTask.CompletedTask;
    }
}
