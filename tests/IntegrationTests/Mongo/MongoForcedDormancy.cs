namespace IntegrationTests.Mongo;

/// <summary>
/// MongoDB runs the suites about what waits once more, with engines that keep nothing in memory that waits.
/// </summary>
public static class MongoForcedDormancy
{
    [Trait("Category", "Extended")]
    public sealed class Signals(DormantMongoStoreFixture stores)
        : SignalConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Correlation(DormantMongoStoreFixture stores)
        : CorrelationConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Extended")]
    public sealed class Timers(DormantMongoStoreFixture stores)
        : TimerConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class StepEvents(DormantMongoStoreFixture stores)
        : StepEventConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class CallEach(DormantMongoStoreFixture stores)
        : CallEachConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class SubProcesses(DormantMongoStoreFixture stores)
        : SubProcessConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Retries(DormantMongoStoreFixture stores)
        : RetryConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Tasks(DormantMongoStoreFixture stores)
        : TaskConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Calls(DormantMongoStoreFixture stores)
        : CallConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Administration(DormantMongoStoreFixture stores)
        : AdministrationConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Orders(DormantMongoStoreFixture stores)
        : OrderConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Queries(DormantMongoStoreFixture stores)
        : QueryConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class DelayedSignals(DormantMongoStoreFixture stores)
        : DelayedSignalConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Extended")]
    public sealed class NodeMoves(DormantMongoStoreFixture stores)
        : NodeMoveConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Account(DormantMongoStoreFixture stores)
        : AccountConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Faults(DormantMongoStoreFixture stores)
        : FaultConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class DeadLetters(DormantMongoStoreFixture stores)
        : DeadLetterConformance<DormantMongoStoreFixture>(stores);

    [Trait("Category", "Daily")]
    public sealed class Limits(DormantMongoStoreFixture stores)
        : LimitConformance<DormantMongoStoreFixture>(stores);
}
