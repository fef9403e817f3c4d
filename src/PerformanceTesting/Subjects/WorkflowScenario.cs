namespace PerformanceTesting.Subjects;

/// <summary>
/// A scenario of the workflow service: its question, load and pass rule. Names, operations, concurrency and signal workers of the published
/// scenarios never change: they are the comparison.
/// </summary>
public abstract class WorkflowScenario
{
    /// <summary>Name without the profile.</summary>
    public abstract string Name { get; }

    /// <summary>One of the six tiers.</summary>
    public abstract string Tier { get; }

    /// <summary>What it answers.</summary>
    public abstract string Question { get; }

    public abstract int Operations { get; }

    /// <summary>Operations at a time.</summary>
    public abstract int Concurrency { get; }

    /// <summary>Lanes that the engine is given; null leaves them at the engine's default, where the published scenario is silent.</summary>
    public virtual int? SignalWorkers => null;

    /// <summary>Processes of the web service that share the backend; more than one only over HTTP. Default 1.</summary>
    public virtual int Nodes => 1;

    /// <summary>
    /// What happens to the last of several <see cref="Nodes"/>, on purpose, when a third of <see cref="Duration"/> is over; after two
    /// thirds a new node joins. Default: nothing.
    /// </summary>
    public virtual NodeChange NodeChange => NodeChange.None;

    /// <summary>File names in <c>fixtures/definitions</c>, without extension.</summary>
    public virtual IReadOnlyList<string> Definitions => [];

    /// <summary>Signals that go to a receiver instead of an instance.</summary>
    public virtual IReadOnlyList<string> Receivers => [];

    /// <summary>The event that ends an operation.</summary>
    public abstract string CompletionEvent { get; }

    /// <summary>Phases that must have a sample for every completed operation.</summary>
    public abstract IReadOnlyList<string> Phases { get; }

    /// <summary>Whether an operation is an instance; else it is a signal to a receiver.</summary>
    public virtual bool StartsInstances => true;

    /// <summary>How long after the publish the operation may complete at the earliest; zero for at once.</summary>
    public virtual TimeSpan DueAfter => TimeSpan.Zero;

    /// <summary>How long the load lasts, where it is not the number of operations that ends it; null by default.</summary>
    public virtual TimeSpan? Duration => null;

    /// <summary>How long its users take to come, before <see cref="Duration"/> begins. Default: all come at once.</summary>
    public virtual TimeSpan RampUp => TimeSpan.Zero;

    /// <summary>
    /// Operations that begin in a second, whether or not earlier ones have ended, for <see cref="Duration"/>; null, the default: the next
    /// begins when one ends.
    /// </summary>
    public virtual int? RatePerSecond => null;

    /// <summary>
    /// Whether its users load the machine to its limit on purpose, over HTTP. Its latency is then that of a saturated machine: account,
    /// errors and stalls decide. Only where <see cref="Duration"/> ends the load. Default false.
    /// </summary>
    public virtual bool SaturatesByDesign => false;

    /// <summary>What several scenarios that run at the same time are called together; null, the default: by all of their names.</summary>
    public virtual string? Group => null;

    /// <summary>When the service is idle in the course of the load.</summary>
    public virtual BatchShape Shape => BatchShape.Together;

    /// <summary>
    /// How long an operation may take from its beginning, or from the moment it is due; then its completion is lost. Default 30 s.
    /// </summary>
    public virtual TimeSpan CompletionTimeout => TimeSpan.FromSeconds(30);

    /// <summary>Operations that warm up and are not counted. Default 32.</summary>
    public virtual int WarmUpOperations => 32;

    /// <summary>Operations at a time while warming up. Default: as in the load.</summary>
    public virtual int WarmUpConcurrency => Concurrency;

    /// <summary>
    /// Requests that are iterations of their own; an operation takes this many. Default 1: all of an operation is one iteration. With 2,
    /// every operation's first iteration ends before the first second one begins.
    /// </summary>
    public virtual int IterationsPerOperation => 1;

    /// <summary>Whether a step sends a request, and does not only wait for an event. Default: each does.</summary>
    public virtual bool IsRequest(string step) => true;

    /// <summary>The pass rule, beside an account that balances; default: nothing fails and nothing is dropped.</summary>
    public virtual IReadOnlyList<Threshold> Thresholds => [Threshold.AtMost("failed", 0), Threshold.AtMost("dropped", 0)];

    /// <summary>Whether this is the full size, of thousands of operations.</summary>
    public virtual bool IsFullSize => false;

    /// <summary>
    /// Where a capacity is searched for, the rate that every supported machine must carry, per second; a baseline of the machine's class
    /// may ask for more. Default 50.
    /// </summary>
    public virtual double LeastCapacityPerSecond => 50;

    /// <summary>What a reader of the result should know about the load.</summary>
    public virtual IReadOnlyList<string> Remarks => [];

    /// <summary>One iteration.</summary>
    public abstract Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch, WorkflowSubject subject);
}

/// <summary>
/// The phases, in the spelling of the published results. Those that begin with the publish overlap with it and do not add up.
/// </summary>
public static class PhaseNames
{
    /// <summary>Start sent to start durable.</summary>
    public const string Start = "start";

    /// <summary>Signal sent to signal durable.</summary>
    public const string SignalPublish = "signalPublish";

    /// <summary>Just before the publish to the first line of the completion's consumer callback.</summary>
    public const string SignalToFirstCompletion = "signalToFirstCompletion";

    /// <summary>
    /// Just before the publish to the moment the whole batch is idle: as the published results have it, the harness's wait included.
    /// </summary>
    public const string SignalToCompletion = "signalToCompletion";

    /// <summary>Last completion to idle, once a batch.</summary>
    public const string DrainToIdle = "drainToIdle";

    /// <summary>Start sent to completion seen, where an instance ends within its start.</summary>
    public const string StartToCompletion = "startToCompletion";

    /// <summary>One question for the state of an instance: as many samples as were asked.</summary>
    public const string Poll = "poll";

    /// <summary>Due time to completion seen, of delayed signals.</summary>
    public const string DueToCompletion = "dueToCompletion";

    /// <summary>
    /// A node killed to the first completion that another node executed in a lane of it: one sample for each of its lanes.
    /// </summary>
    public const string Takeover = "takeover";
}

/// <summary>The values of the trait <c>Category</c>.</summary>
public static class TierNames
{
    public const string Trait = "Category";

    public const string Smoke = "WorkflowPerfSmoke";

    public const string Latency = "WorkflowPerfLatency";

    public const string Throughput = "WorkflowPerfThroughput";

    public const string Capacity = "WorkflowPerfCapacity";

    public const string Nightly = "WorkflowPerfNightly";

    public const string Soak = "WorkflowPerfSoak";

    /// <summary>No tier: the instrument against known targets, and the rules that this assembly keeps. Runs with Smoke.</summary>
    public const string Calibration = "Calibration";

    /// <summary>No tier: limits that are there on purpose must be named by the findings.</summary>
    public const string Findings = "Findings";

    /// <summary>No tier: takes longer than a bare <c>dotnet test</c> has time for.</summary>
    public const string Extended = "Extended";

    /// <summary>The six tiers.</summary>
    public static IReadOnlyList<string> All { get; } = [Smoke, Latency, Throughput, Capacity, Nightly, Soak];
}

/// <summary>How many operations a scenario has.</summary>
public enum ScenarioSize
{
    /// <summary>As many as in the published baseline.</summary>
    Seed,

    /// <summary>Thousands, so that a p99 is a percentile.</summary>
    Xl,
}

/// <summary>One row of the table of scenarios: what distinguishes it from others that share its body.</summary>
/// <param name="Name">Name without the profile.</param>
/// <param name="Tier">The tier it runs in.</param>
/// <param name="Concurrency">Requests at a time.</param>
public sealed record ScenarioVariant(string Name, string Tier, int Operations, int Concurrency)
{
    private const string FullSizeSuffix = "-xl";

    /// <summary>Lanes that the engine is given; null leaves them at the engine's default.</summary>
    public int? SignalWorkers { get; init; }

    /// <summary>
    /// Operations of the full-size variant, of which there is one to a load: thousands, so that the slowest 1 % are tens. Null where
    /// another row has it.
    /// </summary>
    public int? FullSizeOperations { get; init; }

    /// <summary>The published size, or full size.</summary>
    public ScenarioSize Size { get; private init; }

    /// <summary>This variant at the size: itself, or the one with the suffix <c>-xl</c>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It has no full size, or is the full size already and the published one is asked
    /// for.</exception>
    public ScenarioVariant At(ScenarioSize size) => size == Size ? this : (size, FullSizeOperations) switch
    {
        (ScenarioSize.Xl, { } operations) => this with { Name = Name + FullSizeSuffix, Operations = operations, Size = size },
        (ScenarioSize.Xl, null) => throw new ArgumentOutOfRangeException(
            nameof(size), size, $"'{Name}' has no full size; give it {nameof(FullSizeOperations)}."),
        _ => throw new ArgumentOutOfRangeException(
            nameof(size), size, $"'{Name}' is the full size; ask the row of the published size for its own."),
    };
}

/// <summary>A scenario whose body serves several rows of the table.</summary>
public abstract class VariantScenario(ScenarioVariant variant) : WorkflowScenario
{
    public sealed override string Name => variant.Name;

    public sealed override string Tier => variant.Tier;

    public sealed override int Operations => variant.Operations;

    public sealed override int Concurrency => variant.Concurrency;

    public sealed override int? SignalWorkers => variant.SignalWorkers;

    public override int WarmUpOperations => IsFullSize ? 512 : base.WarmUpOperations;

    public sealed override bool IsFullSize => variant.Size == ScenarioSize.Xl;
}
