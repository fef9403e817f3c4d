using Xunit.v3;

namespace PerformanceTests.Tiers;

/// <summary>
/// What needs a broker comes first: it takes three times as long to start as a database, and beside one it costs no
/// time of its own.
/// </summary>
public sealed class SlowestServerFirst : ITestCollectionOrderer
{
    public IReadOnlyCollection<TTestCollection> OrderTestCollections<TTestCollection>(
        IReadOnlyCollection<TTestCollection> testCollections)
        where TTestCollection : ITestCollection =>
        [
            .. testCollections.OrderByDescending(
                tests => tests.TestCollectionDisplayName.Contains(nameof(BrokerSmokeTests), StringComparison.Ordinal)),
        ];
}
