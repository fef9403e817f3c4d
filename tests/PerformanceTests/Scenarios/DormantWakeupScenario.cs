using System.Runtime.CompilerServices;
using Workflow.Abstractions;

namespace PerformanceTests.Scenarios;

/// <summary>
/// The round trip of dormant instances: all are started, all become dormant, and then each gets its signal, in random
/// order. No signal is sent while an instance is still in memory.
/// </summary>
public sealed class DormantWakeupScenario(ScenarioVariant variant) : SignalRoundTripBatchScenario(variant)
{
    private const int Seed = 1;
    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(30);
    private readonly ConditionalWeakTable<OperationBatch, Stock> _stocks = [];

    public static ScenarioVariant Small { get; } =
        new("dormant-wakeup", TierNames.Smoke, 2_000, 64) { FullSizeOperations = 50_000 };

    public static ScenarioVariant FullSize { get; } = Small.At(ScenarioSize.Xl) with { Tier = TierNames.Nightly };

    public override string Question => "How fast does a signal wake an instance that only the store holds?";

    public override TimeSpan? IdleTime => TimeSpan.Zero;

    public override int WarmUpConcurrency => Math.Min(Concurrency, WarmUpOperations);

    public override TimeSpan CompletionTimeout => base.CompletionTimeout + LongestWait;

    public override string PlannedChange => "all instances become dormant";

    public override IReadOnlyList<string> Remarks =>
        [.. base.Remarks, "The signals are sent in random order, after all instances have become dormant."];

    protected override async Task<long> NextToSignalAsync(
        IScenarioContext context, OperationBatch batch, WorkflowSubject subject)
    {
        var stock = _stocks.GetValue(batch, started => new(started, subject, context.ScenarioCancellationToken));
        await stock.IsDormant;
        return stock.Order[context.IterationNumber - batch.Size];
    }

    /// <summary>The instances of one batch, all of which are started.</summary>
    private sealed class Stock
    {
        private readonly Lazy<Task> _isDormant;

        public Stock(OperationBatch batch, WorkflowSubject subject, CancellationToken cancellationToken)
        {
            new Random(Seed).Shuffle(Order = [.. Enumerable.Range(0, batch.Size)]);
            _isDormant = new(() => BecomeDormantAsync(batch, subject, cancellationToken));
        }

        /// <summary>The operations in the order of their signals.</summary>
        public int[] Order { get; }

        /// <summary>Completes when all are dormant; fails if that takes longer than <see cref="LongestWait"/>.</summary>
        public Task IsDormant => _isDormant.Value;

        private async Task BecomeDormantAsync(
            OperationBatch batch, WorkflowSubject subject, CancellationToken cancellationToken)
        {
            var started = Order.Count(number => batch.Find(number) is { Outcome: SendOutcome.Accepted });
            var began = Stopwatch.GetTimestamp();
            EngineStatistics counts;
            do
            {
                await Task.Delay(PollInterval, cancellationToken);
                counts = await subject.CountAsync(cancellationToken);
                if (Stopwatch.GetElapsedTime(began) >= LongestWait)
                {
                    throw new TimeoutException(
                        $"{LongestWait.TotalSeconds} s after the last start, {counts.DormantInstances} of {started} "
                            + $"instances are dormant, and {counts.ResidentInstances} are in memory.");
                }
            }
            while (!(counts.DormantInstances >= started));
        }
    }
}
