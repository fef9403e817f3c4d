using LoadTesting.Core.Http.Streams;
using LoadTesting.Core.Load.Events;
using PerformanceTesting.Measurement;

namespace UnitTests.PerformanceTesting;

public sealed class RunEvidenceTests
{
    private static readonly LedgerResult Client = new() { Requested = 10, Started = 10, Completed = 5, Stuck = 5 };

    [Fact]
    public void Operation_that_ended_elsewhere_is_neither_stuck_nor_lost()
    {
        var evidence = EvidenceOf(lost: 5);
        evidence.Ends = new OperationEnds(Failed: 1, Cancelled: 1, DeadLettered: 1, Waiting: 1, Suspended: 0);

        var ledger = evidence.ToResult(steadyFrom: null).Ledger!;

        Assert.Equal((1, 1), (ledger.Stuck, ledger.Lost));
        Assert.Equal(["lost is 1 and must be 0"], ledger.Violations());
    }

    [Fact]
    public void Operation_that_did_not_complete_is_stuck()
    {
        var ledger = EvidenceOf(lost: 5).ToResult(steadyFrom: null).Ledger!;

        Assert.Equal((5, 5), (ledger.Stuck, ledger.Lost));
    }

    [Fact]
    public void Deliveries_count_beside_the_events()
    {
        var evidence = EvidenceOf(lost: 2);
        evidence.Deliveries = new FanOutCounts(
            Publications: 10, Delivered: 90, Lost: 3, Doubled: 4, OutOfOrder: 5, Gaps: 0, Foreign: 0);

        var ledger = evidence.ToResult(steadyFrom: null).Ledger!;

        Assert.Equal((5, 4, 5), (ledger.Lost, ledger.Duplicate, ledger.OutOfOrder));
    }

    private static RunEvidence EvidenceOf(long lost)
    {
        using var awaiter = new EventAwaiter();
        return new RunEvidence
        {
            Measured = LoadTesting.Samples.Runs.Scenario() with { Ledger = Client },
            Load = null!,
            Tallies = [],
            Events = awaiter.Snapshot() with { Lost = lost },
        };
    }
}
