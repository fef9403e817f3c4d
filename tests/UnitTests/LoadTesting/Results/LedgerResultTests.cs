namespace UnitTests.LoadTesting.Results;

public sealed class LedgerResultTests
{
    private static readonly LedgerResult Sound = new()
    {
        Requested = 100, Dropped = 4, Refused = 3, Unknown = 2, Started = 91,
        Completed = 60, Failed = 10, Cancelled = 8, DeadLettered = 6, Waiting = 4, Suspended = 2, Stuck = 1,
    };

    /// <summary>Each count put off by one, with whether the account may still balance.</summary>
    public static TheoryData<string, LedgerResult, bool> OffByOne => new()
    {
        { "requested", Sound with { Requested = 101 }, false },
        { "dropped", Sound with { Dropped = 5 }, false },
        { "refused", Sound with { Refused = 2 }, false },
        { "unknown", Sound with { Unknown = 3 }, false },
        { "started", Sound with { Started = 92 }, false },
        { "completed", Sound with { Completed = 59 }, false },
        { "failed", Sound with { Failed = 11 }, false },
        { "cancelled", Sound with { Cancelled = 7 }, false },
        { "deadLettered", Sound with { DeadLettered = 7 }, false },
        { "waiting", Sound with { Waiting = 5 }, false },
        { "suspended", Sound with { Suspended = 1 }, false },
        { "stuck", Sound with { Stuck = 2 }, false },
        { "lost", Sound with { Lost = 1 }, false },
        { "duplicate", Sound with { Duplicate = 1 }, false },
        { "late", Sound with { Late = 1 }, true },
        { "unmatched", Sound with { Unmatched = 1 }, true },
        { "runtimeConflicts", Sound with { RuntimeConflicts = 1 }, true },
    };

    [Fact]
    public void A_ledger_in_which_every_operation_ends_once_balances()
    {
        Assert.True(Sound.Balanced);
        Assert.Empty(Sound.Violations());
    }

    [Theory]
    [MemberData(nameof(OffByOne))]
    public void One_unit_too_many_or_too_few_breaks_the_balance_and_is_named(
        string count, LedgerResult ledger, bool balanced)
    {
        Assert.Equal(balanced, ledger.Balanced);
        if (!balanced)
        {
            Assert.Contains(ledger.Violations(), violation => violation.Contains(count, StringComparison.Ordinal));
        }
    }

    [Fact]
    public void Two_violated_equations_are_both_reported_with_their_numbers()
    {
        var ledger = new LedgerResult { Requested = 24, Started = 22, Completed = 20 };

        Assert.Collection(
            ledger.Violations(),
            first => Assert.StartsWith("requested 24 differs by 2 from", first, StringComparison.Ordinal),
            second => Assert.StartsWith("started 22 differs by 2 from", second, StringComparison.Ordinal));
    }

    [Fact]
    public void Errors_that_cancel_each_other_out_do_not_balance()
    {
        var ledger = new LedgerResult { Requested = 10, Started = 10, Completed = 11, Stuck = -1 };

        Assert.Equal(["stuck is -1; a count cannot be negative"], ledger.Violations());
    }
}
