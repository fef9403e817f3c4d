using LoadTesting.Core.Analysis.Findings;
using LoadTesting.Core.Analysis.Validity;

namespace UnitTests.LoadTesting.Samples;

/// <summary>A run of the smoke tier: two profiles, one scenario over HTTP, one failed, one inconclusive.</summary>
internal static class SampleRun
{
    public static RunResult Create() => new()
    {
        RunId = "20260317T101500Z-8d4f1c2",
        CreatedUtc = new DateTimeOffset(2026, 3, 17, 10, 15, 0, TimeSpan.Zero),
        Commit = "8d4f1c2a90b37e55d1c0f4a6b8e2973d5f60a1b4",
        Dirty = true,
        Environment = Environment(),
        CeilingsByProfile = new Dictionary<string, CeilingsResult>
        {
            ["memory"] = new()
            {
                EmptyHttpPerSecond = 18_450,
                Notes = ["fsync, commits and round trip are null: the profile has no disk and no server."],
            },
            ["postgres"] = Ceilings(),
        },
        Scenarios =
        [
            Scenario("memory", "immediate-burst-smoke", 24, 1, 0.4, 3100),
            Scenario("memory", "synthetic-external-resume-smoke", 12, 4, 1.1, 2240),
            Scenario("postgres", "bulstrad-quote-or-apl-cancel-smoke", 10, 4, 4.2, 812),
            Scenario("postgres", "delayed-burst-smoke", 12, 1, 2004, 5.9),
            Scenario("postgres", "immediate-burst-smoke", 24, 1, 6.5, 1834),
            Scenario("postgres", "synthetic-external-resume-smoke", 12, 4, 9.8, 388),
            Unbalanced(),
            Bound(),
        ],
        Capacity = SampleCapacity.All,
        NotExercised =
        [
            new("oracle-aq", "No Oracle server: WORKFLOW_PERF_ORACLE is not set and Docker does not answer.",
                "WORKFLOW_PERF_ORACLE='User Id=...;Data Source=...' dotnet test --filter Category=WorkflowPerfSmoke"),
            new("mongo", "no MongoDB server", "docker pull mongo:7.0"),
        ],
    };

    public static ScenarioResult Scenario(
        string profile, string name, int operations, int concurrency, double medianMs, double perSecond) => new()
    {
        Name = $"{profile}-{name}",
        Tier = "WorkflowPerfSmoke",
        Profile = profile,
        Hosting = name.EndsWith("-http", StringComparison.Ordinal) ? HostingKind.Http : HostingKind.InProcess,
        LoadEngine = "builtin",
        LoadModel = $"closed, {concurrency} in flight",
        DefinitionHash = ContentHash.Of(name),
        StartedUtc = new DateTimeOffset(2026, 3, 17, 10, 15, 2, TimeSpan.Zero),
        Operations = operations,
        Concurrency = concurrency,
        Lanes = 4,
        DurationMs = operations / perSecond * 1000,
        ThroughputPerSecond = perSecond,
        Latency = Latency(operations, medianMs, seed: 1),
        Phases = Phases(operations, medianMs, name.Contains("resume", StringComparison.Ordinal)),
        ServerSplit = profile == "postgres" ? Split(operations, medianMs) : null,
        Ledger = new LedgerResult { Requested = operations, Started = operations, Completed = operations },
        Timeline = Timeline(operations, medianMs, operations / perSecond),
        Stalls = HasTrouble(profile, name) ? [new StallResult(412.5, 1_480.2, concurrency, StallCause.System)] : [],
        Errors = HasTrouble(profile, name) ? [new ErrorResult("503", "too busy", 2)] : [],
        Thresholds =
        [
            new("failedShare", "<= 0.01", 0, operations, ThresholdOutcome.Passed, ThresholdKind.Counts),
            .. HasTrouble(profile, name)
                ? [new("p99Ms", "<= 50", medianMs, operations, ThresholdOutcome.NotEnoughSamples, ThresholdKind.Times)]
                : Array.Empty<ThresholdResult>(),
        ],
        Backend = profile == "postgres" ? Counters(operations) : null,
        Resources = new ResourcesResult
        {
            Generator = new Dictionary<string, double?> { ["cpuSeconds"] = 0.213, ["peakMemoryBytes"] = 148_897_792 },
            Database = profile == "postgres" ? new Dictionary<string, double?> { ["cpuSeconds"] = 0.094 } : [],
        },
        Generator = new GeneratorResult
        {
            Health = GeneratorState.Healthy, AchievedRatio = 1, CpuShare = 0.31, GcPauseShare = 0.0021,
            ThreadPoolQueueMax = 3,
            JitterMaxMs = 1.9,
        },
        Validity = Validity(operations),
        Findings = Findings(profile, medianMs, perSecond),
        Verdict = new VerdictResult(VerdictOutcome.Passed, []),
        Notes = profile == "postgres" ? [] : ["serverSplit is null: the events carry no commit time in memory."],
    };

    private static bool HasTrouble(string profile, string name) =>
        profile == "postgres" && !name.StartsWith("immediate", StringComparison.Ordinal);

    internal static TimelineResult Timeline(int operations, double medianMs, double seconds)
    {
        var points = (int)Math.Ceiling(seconds);
        return new TimelineResult
        {
            IntervalMs = 1000,
            Points = [.. Enumerable.Range(0, points).Select(point => new TimelinePoint
            {
                TMs = point * 1000,
                Started = (operations * (point + 1) / points) - (operations * point / points),
                Completed = (operations * (point + 1) / points) - (operations * point / points),
                P50Ms = medianMs,
                P95Ms = medianMs * 1.5,
                P99Ms = medianMs * 2,
                MaxMs = medianMs * 2.1,
                PoolDelayP99Ms = 0.2,
                Cpu = new TimelineCpu(0.2, null, 0.1, 0.4),
                Backlog = 0,
            })],
        };
    }

    private static ScenarioResult Unbalanced() => Scenario(
        "postgres", "immediate-burst-smoke-http", 24, 1, 11.2, 642) with
    {
        Ledger = new LedgerResult { Requested = 24, Started = 24, Completed = 22, Stuck = 1, Duplicate = 1, Late = 2 },
        Verdict = new VerdictResult(
            VerdictOutcome.Failed, ["The ledger does not balance: 1 operation unaccounted for, 1 event twice."]),
    };

    private static ScenarioResult Bound() => Scenario(
        "postgres", "synthetic-external-resume-smoke-http", 12, 4, 14.6, 171) with
    {
        LoadModel = "open, 200 per second, latency from the intended start",
        Generator = new GeneratorResult
        {
            Health = GeneratorState.Bound, AchievedRatio = 0.857, ScheduleLagP99Ms = 412.6, ScheduleLagShare = 0.62,
            Dropped = 3,
            CpuShare = 0.97,
            Evidence =
            [
                "Schedule lag is 62.0 % of the response time; the limit is 5 %.",
                "The process used 97 % of each core; the limit is 80 %.",
            ],
        },
        Ledger = new LedgerResult { Requested = 15, Dropped = 3, Started = 12, Completed = 12 },
        Verdict = new VerdictResult(
            VerdictOutcome.Inconclusive,
            ["The generator was the limit: schedule lag is 62.0 % of the response time; the limit is 5 %."]),
    };

    private static EnvironmentInfo Environment() => new()
    {
        Fingerprint = ContentHash.Of("sample"),
        MachineClass = "intel-xeon-2-50ghz-2c-24g",
        CpuModel = "Intel(R) Xeon(R) CPU @ 2.50GHz",
        Cores = 2,
        MemoryBytes = 25_276_243_968,
        Architecture = "X64",
        Os = "Debian GNU/Linux 12 (bookworm)",
        Kernel = "6.1.0-31-cloud-amd64",
        Dotnet = ".NET 10.0.1",
        Sdk = "10.0.101",
        GcMode = "workstation, concurrent",
        BootId = "0b1e4a52-9c1e-4a36-b0b4-0d6ad2a86a11",
        LoadAverageBefore = [0.42, 0.51, 0.33],
        LoadAverageAfter = [1.62, 0.84, 0.45],
        StealShare = 0.0031,
        Backends = new Dictionary<string, BackendInfo>
        {
            ["memory"] = new() { Product = "in-memory store", Durability = "none" },
            ["postgres"] = new()
            {
                Product = "PostgreSQL",
                Version = "15.18",
                Durability = "durable",
                Provision = "native: /usr/lib/postgresql/15/bin, private data directory",
                Settings = new Dictionary<string, string>
                {
                    ["fsync"] = "on", ["full_page_writes"] = "on", ["synchronous_commit"] = "on",
                    ["wal_sync_method"] = "fdatasync",
                    ["shared_buffers"] = "128MB",
                },
                Notes = [
                    "external was not taken: WORKFLOW_PERF_POSTGRES is not set. container was not taken: "
                        + "/var/run/docker.sock does not exist."],
            },
        },
    };

    private static CeilingsResult Ceilings() => new()
    {
        FsyncPerSecond = 1480, CommitsPerSecond = 912, ConcurrentCommitsPerSecond = 4120, ConcurrentClients = 16,
        RoundTripMs = 0.081,
        EmptyHttpPerSecond = 18_450,
    };

    private static ValidityResult Validity(int operations) => new()
    {
        Checks =
        [
            CheckResult.AtMost("backlog", CheckSubject.System, 0, 0, $"0 commands, events or signals are left over"),
            LittlesLaw.Compare(operations * 0.0041, operations, 4, TimeSpan.FromSeconds(1)).Check,
            CheckResult.Not(
                "steadyState", CheckSubject.Measurement, $"the cut needs 1000 completions; there are {operations}"),
        ],
        Environment =
        [
            CheckResult.AtMost("steal", CheckSubject.Measurement, 0.031, 0.02,
                $"3.1 % of the processor time went to others of the hypervisor, 2 % allowed"),
            CheckResult.Not("scheduleLag", CheckSubject.Measurement, "a closed model has no schedule"),
        ],
        LittlesLaw = LittlesLaw.Compare(operations * 0.0041, operations, 4, TimeSpan.FromSeconds(1)).Result,
        WarmUp = new WarmUpResult
        {
            Method = "MSER-5", Series = "latency", Completions = operations, CutCompletions = operations / 10,
            Steady = true,
            SettledMeanMs = 4, MeanMs = 4.2,
        },
        Leaks =
        [
            new LeakResult
            {
                Name = "workingSet", Unit = "bytes", Samples = 600, SpanSeconds = 530, Start = 210_000_000,
                Growth = 1_400_000,
                GrowthLow = 900_000,
                GrowthHigh = 1_900_000, Limit = 21_000_000, Leaks = false,
            },
        ],
    };

    /// <summary>Four seconds of the scenario's pace; memory has no server to look into.</summary>
    private static FindingsResult Findings(
        string profile, double medianMs, double perSecond) => FindingRules.Judge(new FindingInputs
    {
        Completed = (long)(4 * perSecond),
        DurationSeconds = 4,
        ResponseSeconds = medianMs / 1000,
        Cores = 2,
        Spans =
        [
            .. Enumerable.Repeat(
                new FindingSpan
                {
                    Seconds = 0.5,
                    Service = new ProcessUsage(0.16, 0.03, 148_897_792),
                    Database = profile == "postgres" ? new ProcessUsage(0.1, 0.02, 90_000_000) : null,
                    MachineCpuSeconds = 0.3,
                    Looks = profile == "postgres" ? 5 : null,
                    Waits = new Dictionary<string, WaitSum>
                    {
                        ["IO:WALSync"] = new(ResourceNames.WalFlush, (long)Math.Ceiling(perSecond * medianMs / 400), 4),
                    },
                    Sums = new SystemSums { GcPauseSeconds = 0.001, CompilationSeconds = 0 },
                },
                8),
        ],
        QueueWaitSeconds = medianMs / 4000,
        GeneratorEvidence = [],
        NotMeasured = ResourceNames.All.ToDictionary(
            name => name,
            _ => profile == "postgres" ? "The service is another process." : "This profile has no database."),
    });

    private static BackendCounters Counters(int operations) => new()
    {
        Raw = new Dictionary<string, double>
        {
            ["pg_stat_database.xact_commit"] = operations * 2,
            ["pg_stat_wal.wal_bytes"] = operations * 1904,
        },
        PerOperation = new Dictionary<string,
            double?> { ["commits"] = 0.333, ["walBytes"] = 1904.5, ["logicalReads"] = 41.25, ["rows"] = 6,
                ["fsyncs"] = null },
        Waits = [new("IO:WALSync", 0.614), new("Client:ClientRead", 0.21), new("LWLock:WALWrite", 0.043)],
        Notes = ["fsyncs is null: track_wal_io_timing is off."],
    };

    private static Dictionary<string, LatencyResult> Phases(int operations, double medianMs, bool resumes) => resumes
        ? new()
        {
            ["start"] = Latency(operations, medianMs * 0.3, seed: 2),
            ["signalPublish"] = Latency(operations, medianMs * 0.18, seed: 3),
            ["signalToCompletion"] = Latency(operations, medianMs * 0.74, seed: 4),
            ["signalToFirstCompletion"] = Latency(operations, medianMs * 0.66, seed: 5),
            ["drainToIdle"] = Latency(1, medianMs * 0.08, seed: 6),
        }
        : new() { ["signalPublish"] = Latency(operations, medianMs * 0.4, seed: 7) };

    private static Dictionary<string, LatencyResult> Split(int operations, double medianMs) => new()
    {
        ["queueWait"] = Latency(operations, medianMs * 0.05, seed: 8),
        ["execution"] = Latency(operations, medianMs * 0.02, seed: 9),
        ["commit"] = Latency(operations, medianMs * 0.5, seed: 10),
        ["publish"] = Latency(operations, medianMs * 0.03, seed: 12),
        ["delivery"] = Latency(operations, medianMs * 0.1, seed: 11),
    };

    private static LatencyResult Latency(int samples, double medianMs, int seed)
    {
        var random = new Random(seed);
        var histogram = new LatencyHistogram();
        for (var sample = 0; sample < samples; sample++)
        {
            histogram.Record(TimeSpan.FromMilliseconds(medianMs * (0.85 + (0.4 * Math.Pow(random.NextDouble(), 3)))));
        }

        return LatencyResult.From(histogram);
    }
}
