namespace IntegrationTests.PostgreSql;

/// <summary>PostgreSQL runs every suite, one line each.</summary>
public static class PostgresConformance
{
    [Trait("Category", "Integration")]
    public sealed class Starting(PostgresStoreFixture stores) : StartingConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Conditions(PostgresStoreFixture stores) : ConditionConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Signals(PostgresStoreFixture stores) : SignalConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Correlation(PostgresStoreFixture stores) : CorrelationConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Timers(PostgresStoreFixture stores) : TimerConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Forks(PostgresStoreFixture stores) : ForkConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class StepEvents(PostgresStoreFixture stores) : StepEventConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class CallEach(PostgresStoreFixture stores) : CallEachConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class SubProcesses(PostgresStoreFixture stores) : SubProcessConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Activities(PostgresStoreFixture stores) : ActivityConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Retries(PostgresStoreFixture stores) : RetryConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class CaughtErrors(PostgresStoreFixture stores)
        : CaughtErrorConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Tasks(PostgresStoreFixture stores) : TaskConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Calls(PostgresStoreFixture stores) : CallConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Administration(PostgresStoreFixture stores)
        : AdministrationConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Orders(PostgresStoreFixture stores) : OrderConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Idempotency(PostgresStoreFixture stores) : IdempotencyConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Events(PostgresStoreFixture stores) : EventConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Definitions(PostgresStoreFixture stores) : DefinitionConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Queries(PostgresStoreFixture stores) : QueryConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class DelayedSignals(PostgresStoreFixture stores)
        : DelayedSignalConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Ownership(PostgresStoreFixture stores) : OwnershipConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class ClusterStore(PostgresStoreFixture stores)
        : ClusterStoreConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Nodes(PostgresStoreFixture stores) : NodeConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class NodeMoves(PostgresStoreFixture stores) : NodeMoveConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Account(PostgresStoreFixture stores) : AccountConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Faults(PostgresStoreFixture stores) : FaultConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Complaints(PostgresStoreFixture stores) : ComplaintConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Traces(PostgresStoreFixture stores) : TraceConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class DeadLetters(PostgresStoreFixture stores) : DeadLetterConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Replays(PostgresStoreFixture stores) : ReplayConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Limits(PostgresStoreFixture stores) : LimitConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class StorePort(PostgresStoreFixture stores) : StorePortConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Rows(PostgresStoreFixture stores) : RowConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Residency(PostgresStoreFixture stores) : ResidencyConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Recovery(PostgresStoreFixture stores) : RecoveryConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Dormant(PostgresStoreFixture stores) : DormantConformance<PostgresStoreFixture>(stores);

    [Trait("Category", "Integration")]
    public sealed class Retention(PostgresStoreFixture stores) : RetentionConformance<PostgresStoreFixture>(stores);
}
