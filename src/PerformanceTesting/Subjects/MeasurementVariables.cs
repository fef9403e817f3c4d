namespace PerformanceTesting.Subjects;

/// <summary>The environment variables that choose how much is run, read once and checked together.</summary>
public sealed record MeasurementVariables
{
    public const string SizeName = "WORKFLOW_PERF_SIZE";
    public const string DurationName = "WORKFLOW_PERF_DURATION";
    public const string LoadStepName = "WORKFLOW_PERF_RUNG";
    public const string CountersName = "WORKFLOW_PERF_COUNTERS";
    public const string TransportName = "WORKFLOW_PERF_TRANSPORT";
    public const string InjectName = "WORKFLOW_PERF_INJECT";
    public const string LoadEngineName = "WORKFLOW_PERF_LOAD_ENGINE";
    public const string SseClientsName = "WORKFLOW_PERF_SSE_CLIENTS";
    public const string SseDurationName = "WORKFLOW_PERF_SSE_DURATION_MS";
    public const string SseRateName = "WORKFLOW_PERF_SSE_RATE";
    public const string AdminUsersName = "WORKFLOW_PERF_ADMIN_USERS";
    public const string AdminDelayName = "WORKFLOW_PERF_ADMIN_DELAY_MS";

    /// <summary>Size of the scenarios in their own tier; the published one by default.</summary>
    public ScenarioSize Size { get; init; }

    /// <summary>How long the soak lasts; null by default: the scenario's own number of operations.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>Whether an unfinished soak is gone on with; false by default.</summary>
    public bool Resumes { get; init; }

    /// <summary>
    /// Length of each load step of the search for the capacity; 5 s by default, 30 s where the figures are to be kept.
    /// </summary>
    public TimeSpan LoadStep { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Whether counters that the server reports late are waited for at full size; true by default.</summary>
    public bool WaitsForCounters { get; init; } = true;

    /// <summary>What carries integration events; the hosting's own way by default.</summary>
    public EventTransport Transport { get; init; }

    /// <summary>
    /// Makes the engine that starts the iterations, given the folder for reports of its own; null by default: the
    /// built-in one.
    /// </summary>
    public Func<string, ILoadEngine>? LoadEngine { get; init; }

    /// <summary>Event streams that are open at a time at full size; 1,000 by default, 1 to 1,000,000.</summary>
    public int SseClients { get; init; } = 1_000;

    /// <summary>How long publications are made at full size; 30 s by default.</summary>
    public TimeSpan SseDuration { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Deliveries per second over all clients that the schedule of publications asks for; 4,000 by default.
    /// </summary>
    public int SseDeliveriesPerSecond { get; init; } = 4_000;

    /// <summary>Users who publish at full size; 5 by default, 1 to 10,000.</summary>
    public int AdminUsers { get; init; } = 5;

    /// <summary>How long each waits after an answer; 100 ms by default.</summary>
    public TimeSpan AdminDelay { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>A regression on purpose; null by default.</summary>
    public IFaultInjection? Injection { get; init; }

    /// <summary>Where the load's figures go while it runs; nowhere by default.</summary>
    public MetricsTargets Metrics { get; init; } = new();

    /// <summary>Reads and checks the variables.</summary>
    /// <param name="read">Gives a variable's value or null; the process environment when omitted.</param>
    /// <param name="injections">
    /// Reads a regression on purpose; null when the text is none. Without it every text is refused.
    /// </param>
    /// <exception cref="ArgumentException">
    /// At least one value is wrong; all are named, with what is allowed.
    /// </exception>
    public static MeasurementVariables FromEnvironment(
        Func<string, string?>? read = null, Func<string, IFaultInjection?>? injections = null)
    {
        read ??= Environment.GetEnvironmentVariable;
        var violations = new List<string>();
        var variables = new MeasurementVariables
        {
            Size = ReadSize(read(SizeName), violations),
            Duration = ReadDuration(DurationName, read(DurationName), violations),
            Resumes = ReadResume(read(SoakJournal.ResumeName), violations),
            WaitsForCounters = ReadCounters(read(CountersName), violations),
            Transport = ReadTransport(read(TransportName), violations),
            Injection = ReadInjection(read(InjectName), injections, violations),
            LoadEngine = LoadEngines.Read(read(LoadEngineName), violations),
            SseClients = ReadNumber(SseClientsName, read(SseClientsName), 1, 1_000_000, 1_000, violations),
            SseDuration = TimeSpan.FromMilliseconds(
                ReadNumber(SseDurationName, read(SseDurationName), 1, 86_400_000, 30_000, violations)),
            SseDeliveriesPerSecond = ReadNumber(SseRateName, read(SseRateName), 1, 10_000_000, 4_000, violations),
            AdminUsers = ReadNumber(AdminUsersName, read(AdminUsersName), 1, 10_000, 5, violations),
            AdminDelay =
                TimeSpan.FromMilliseconds(ReadNumber(AdminDelayName, read(AdminDelayName), 0, 60_000, 100, violations)),
            Metrics = MetricsTargets.Read(read, violations),
        };
        variables = ReadDuration(LoadStepName, read(LoadStepName), violations) is { } step
            ? variables with { LoadStep = step } : variables;
        return violations.Count == 0
            ? variables : throw new ArgumentException(string.Join(Environment.NewLine, violations));
    }

    private static ScenarioSize ReadSize(string? value, List<string> violations)
    {
        switch (value?.Trim().ToLowerInvariant())
        {
            case null or "" or "seed":
                return ScenarioSize.Seed;
            case "xl":
                return ScenarioSize.Xl;
            default:
                violations.Add($"{SizeName} is '{value}'. It is 'seed' (the default) or 'xl'.");
                return ScenarioSize.Seed;
        }
    }

    private static int ReadNumber(
        string name, string? value, int least, int most, int otherwise, List<string> violations)
    {
        if (string.IsNullOrWhiteSpace(value))
        {
            return otherwise;
        }

        if (int.TryParse(value.Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            && number >= least && number <= most)
        {
            return number;
        }

        violations.Add($"{name} is '{value}'. It is a whole number from {least} to {most}; {otherwise} where it is not set.");
        return otherwise;
    }

    private static bool ReadCounters(string? value, List<string> violations)
    {
        switch (value?.Trim().ToLowerInvariant())
        {
            case null or "" or "all":
                return true;
            case "prompt":
                return false;
            default:
                violations.Add(
                    $"{CountersName} is '{value}'. It is 'all' (the default) or 'prompt', which leaves out what the server reports late.");
                return true;
        }
    }

    private static EventTransport ReadTransport(string? value, List<string> violations)
    {
        switch (value?.Trim().ToLowerInvariant())
        {
            case null or "" or "memory":
                return EventTransport.OfHosting;
            case "rabbitmq":
                return EventTransport.RabbitMq;
            default:
                violations.Add($"{TransportName} is '{value}'. It is 'memory' (the default; over HTTP the event stream) or 'rabbitmq'.");
                return EventTransport.OfHosting;
        }
    }

    private static IFaultInjection? ReadInjection(
        string? value, Func<string, IFaultInjection?>? injections, List<string> violations)
    {
        if (string.IsNullOrWhiteSpace(value))
        {
            return null;
        }

        if (injections?.Invoke(value) is { } injection)
        {
            return injection;
        }

        violations.Add($"{InjectName} is '{value}'. It is a regression on purpose: delay:+10% (of each flush), "
            + "work:+50us (of each workflow), commit, query, lost, duplicate, leak, freeze or slower.");
        return null;
    }

    private static bool ReadResume(string? value, List<string> violations)
    {
        if (!string.IsNullOrEmpty(value) && value is not ("0" or "1"))
        {
            violations.Add($"{SoakJournal.ResumeName} is '{value}'. It is 1 to go on with an unfinished soak, else 0 or not set.");
        }

        return value == "1";
    }

    private static TimeSpan? ReadDuration(string name, string? value, List<string> violations)
    {
        if (string.IsNullOrWhiteSpace(value))
        {
            return null;
        }

        if (DurationText.TryRead(value, out var duration) && duration > TimeSpan.Zero)
        {
            return duration;
        }

        violations.Add($"{name} is '{value}'. It is longer than zero: {DurationText.Forms}.");
        return null;
    }
}
