using LoadTesting.Core.Analysis.Gating;
using PerformanceTesting.Pairs;

namespace PerformanceTests.Calibration;

/// <summary>Two services that run all the time, and a generator that loads them by turns.</summary>
public sealed class WindowRecorderTests : IDisposable
{
    private const double WindowSeconds = 0.1;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("windows-");

    private PairDirectory Pairs => new(_folder.FullName);

    [Fact]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public async Task Interrupted_recording_of_windows_goes_on()
    {
        await RecordAsync(Checkout.Root, pairs: 2);
        var first = File.GetLastWriteTimeUtc(Path.Combine(Pairs.SidePath(1, isCandidate: false), "latest", "run.json"));
        Directory.CreateDirectory(Pairs.SidePath(3, isCandidate: true));
        Pairs.RemoveIncomplete();
        var output = await RecordAsync(Checkout.Root, pairs: 3);

        Assert.Equal([1, 2, 3], Pairs.Pairs());
        Assert.Equal(
            first, File.GetLastWriteTimeUtc(Path.Combine(Pairs.SidePath(1, isCandidate: false), "latest", "run.json")));
        Assert.StartsWith("Pair 3 of 3: base ", output, StringComparison.Ordinal);
        foreach (var number in Pairs.Pairs())
        {
            var pair = await Pairs.ReadAsync(number, Cancel);
            Assert.Empty(pair.Failures());
            foreach (var run in new[] { pair.Base!.Run, pair.Candidate!.Run })
            {
                var window = Assert.Single(run.Scenarios);
                Assert.Equal("memory-signal-roundtrip-windows-xl-http", window.Name);
                Assert.Equal((VerdictOutcome.Passed, true), (window.Verdict.Outcome, window.Ledger!.Balanced));
                Assert.True(window.Ledger.Completed > 0 && window.Backend!.PerOperation["commits"] > 0);
                var side = GateSide.Of(window);
                Assert.True(side is { ServiceCpuMs: > 0, AllocatedBytes: > 0 });
            }
        }

        // Windows are comparable although they hold unlike numbers of operations.
        var row = Assert.Single(PairGate.Judge([await Pairs.ReadAsync(1, Cancel)], "base", "candidate").Scenarios);
        Assert.DoesNotContain(row.Reasons, reason => reason.Contains("not comparable", StringComparison.Ordinal));
    }

    [Fact]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public async Task Candidate_whose_service_does_not_start_has_regressed()
    {
        await RecordAsync(_folder.FullName, pairs: 10);

        var pair = await Pairs.ReadAsync(Assert.Single(Pairs.Pairs()), Cancel);
        Assert.NotNull(pair.Base);
        Assert.StartsWith("The service of the candidate failed: ", pair.CandidateFailure, StringComparison.Ordinal);
        Assert.Equal(GateVerdict.Regressed, PairGate.Judge([pair], "base", "candidate").Verdict);
    }

    [Fact]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public Task Event_that_comes_twice_after_the_last_window_has_regressed() => AssertHasRegressedAsync(pairs: 1);

    /// <summary>In the order base, candidate, candidate, base: in the window behind.</summary>
    [Fact]
    [Trait(TierNames.Trait, TierNames.Daily)]
    public Task Event_that_comes_twice_after_its_window_has_regressed() => AssertHasRegressedAsync(pairs: 2);

    private async Task AssertHasRegressedAsync(int pairs)
    {
        var seed = Enumerable.Range(1, 50).First(seed => !PairOrder.CandidateFirst(seed).First());
        await RecordAsync(Checkout.Root, pairs, seed, new LateDuplicate());

        var recorded = new List<RecordedPair>();
        foreach (var number in Pairs.Pairs())
        {
            recorded.Add(await Pairs.ReadAsync(number, Cancel));
        }

        Assert.Equal(pairs, recorded.Count);
        var failed = Assert.Single(recorded, pair => pair.Candidate!.Run.Scenarios.Single().Ledger!.Duplicate > 0)
            .Candidate!.Run.Scenarios.Single();
        Assert.Equal((VerdictOutcome.Failed, "late duplicate"), (failed.Verdict.Outcome, failed.Injected));
        Assert.Equal(GateVerdict.Regressed, PairGate.Judge(recorded, "base", "candidate").Verdict);
    }

    /// <summary>Who asks listens for a moment; the service would go on writing to it in the next window.</summary>
    [Fact]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public async Task Asking_where_the_event_stream_ends_leaves_no_reader_behind()
    {
        const int Asked = 50;
        await using var subject = await HttpSubject.StartAsync("memory", new WebServiceOptions(), Cancel);
        for (var asked = 0; asked < Asked; asked++)
        {
            Assert.Null(await subject.WaitForEventsAsync(Cancel));
        }

        using var http = new HttpClient { BaseAddress = subject.Services[0] };

        // Its own stream, and what the service has not noticed yet.
        await Eventually.BecomesAsync(
            async () => (await http.GetStringAsync(new Uri("metrics", UriKind.Relative), Cancel)).Split('\n')
                .Where(line => line.StartsWith("workflow_event_streams ", StringComparison.Ordinal))
                .Select(line => int.Parse(line.Split(' ')[1], CultureInfo.InvariantCulture)).Single(),
            open => open is >= 1 and <= Asked / 2, open => $"the end of streams that nobody reads; {open} are open");
    }

    [Fact]
    [Trait(TierNames.Trait, TierNames.Extended)]
    public async Task Injection_into_the_store_is_refused() => Assert.Contains(
        "'commit': it reaches an engine in this process only",
        (await Assert.ThrowsAsync<ArgumentException>(
            () => RecordAsync(Checkout.Root, 1, injection: Injection.Parse("commit")))).Message,
        StringComparison.Ordinal);

    public void Dispose() => _folder.Delete(recursive: true);

    private async Task<string> RecordAsync(string candidate, int pairs, int seed = 1, IFaultInjection? injection = null)
    {
        await using var catalog = new BackendCatalog(BackendVariables.FromEnvironment());
        await using var output = new PairOutput((injection as LateDuplicate)?.Judged);
        var recording =
            new WindowRecording(Checkout.Root, candidate, "memory", WindowSeconds, pairs, seed) { MostWarmUps = 1 };
        var recorder = new WindowRecorder(
            catalog, Pairs, recording,
            window => new SignalRoundTripWindowScenario(SignalRoundTripWindowScenario.Parallel, window), output,
            injection);
        await recorder.RecordAsync(Cancel);
        return output.ToString();
    }

    /// <summary>What is printed; the line of the first pair says that its windows are judged.</summary>
    private sealed class PairOutput(TaskCompletionSource? judged) : StringWriter
    {
        public override Task WriteLineAsync(string? value)
        {
            judged?.TrySetResult();
            return base.WriteLineAsync(value);
        }
    }

    /// <summary>
    /// The first completion of the first window that counts comes once more, when that window is judged.
    /// </summary>
    private sealed class LateDuplicate : IFaultInjection, IPlantedFault
    {
        public TaskCompletionSource Judged { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        private int _measurements;
        private int _given;

        public string Name => "late duplicate";

        public IPlantedFault Plant() => this;

        public void BeginMeasuring() => _measurements++;

        public Task? DeliversAgainWhen(IntegrationEvent sent) =>
            _measurements == 1 && sent is InstanceCompleted && Interlocked.Exchange(ref _given, 1) == 0
                ? Judged.Task : null;
    }
}
