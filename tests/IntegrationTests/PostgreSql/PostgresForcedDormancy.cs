namespace IntegrationTests.PostgreSql;

/// <summary>
/// The suites of the engine once more on PostgreSQL, with every instance dormant that waits: most of them daily, since
/// the same suites run on the store in memory, and what PostgreSQL does differently is in its own suites.
/// </summary>
public static class PostgresForcedDormancy
{
    [Trait("Category", "Extended")]
    public sealed class Signals(DormantPostgresStoreFixture stores)
        : SignalConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Correlation(DormantPostgresStoreFixture stores)
        : CorrelationConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Extended")]
    public sealed class Timers(DormantPostgresStoreFixture stores)
        : TimerConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class StepEvents(DormantPostgresStoreFixture stores)
        : StepEventConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class CallEach(DormantPostgresStoreFixture stores)
        : CallEachConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class SubProcesses(DormantPostgresStoreFixture stores)
        : SubProcessConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Activities(DormantPostgresStoreFixture stores)
        : ActivityConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Retries(DormantPostgresStoreFixture stores)
        : RetryConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Tasks(DormantPostgresStoreFixture stores)
        : TaskConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Calls(DormantPostgresStoreFixture stores)
        : CallConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Administration(DormantPostgresStoreFixture stores)
        : AdministrationConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Orders(DormantPostgresStoreFixture stores)
        : OrderConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Idempotency(DormantPostgresStoreFixture stores)
        : IdempotencyConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Queries(DormantPostgresStoreFixture stores)
        : QueryConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class DelayedSignals(DormantPostgresStoreFixture stores)
        : DelayedSignalConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Nodes(DormantPostgresStoreFixture stores)
        : NodeConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Extended")]
    public sealed class NodeMoves(DormantPostgresStoreFixture stores)
        : NodeMoveConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Account(DormantPostgresStoreFixture stores)
        : AccountConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Faults(DormantPostgresStoreFixture stores)
        : FaultConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class DeadLetters(DormantPostgresStoreFixture stores)
        : DeadLetterConformance<DormantPostgresStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Replays(DormantPostgresStoreFixture stores)
        : ReplayConformance<DormantPostgresStoreFixture>(stores);
}
