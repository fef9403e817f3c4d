using LoadTesting.Core.Analysis.Validity;

namespace UnitTests.LoadTesting.Analysis.Validity;

public sealed class LittlesLawTests
{
    [Fact]
    public void Observers_that_agree_pass()
    {
        // 2,000 in 10 s, 40 ms each: 8 in flight, by either.
        var (result, check) = LittlesLaw.Compare(80, 2_000, 40, TimeSpan.FromSeconds(10));

        Assert.Equal((8.0, 200.0, 8.0, 0.0),
            (result.ServiceInFlight, result.ThroughputPerSecond, result.ClientInFlight,
                Math.Round(result.RelativeError, 9)));
        Assert.Equal(CheckOutcome.Passed, check.Outcome);
    }

    [Theory]
    [InlineData(80, 2_000, 41.9, CheckOutcome.Passed)]
    [InlineData(80, 2_000, 42.1, CheckOutcome.Failed)] // Events that come late make the client's residence longer,
    [InlineData(80, 2_000, 37.9, CheckOutcome.Failed)] // a clock that lies makes it shorter,
    [InlineData(80, 1_890, 40, CheckOutcome.Failed)] // completions that were not seen make it fewer,
    [InlineData(90, 2_000, 40, CheckOutcome.Failed)] // and instances that the service forgot stay in its gauge.
    public void Observers_that_differ_by_more_than_a_twentieth_fail(
        double service, long completions, double residenceMs, CheckOutcome outcome) =>
        Assert.Equal(
            outcome, LittlesLaw.Compare(service, completions, residenceMs, TimeSpan.FromSeconds(10)).Check.Outcome);

    [Fact]
    public void Service_that_saw_nothing_in_flight_fails()
    {
        var (_, check) = LittlesLaw.Compare(0, 2_000, 40, TimeSpan.FromSeconds(10));

        Assert.Equal(CheckOutcome.Failed, check.Outcome);
        Assert.Contains("0 in flight by the service's gauge, 200/s x 40 ms = 8 by the client", check.Reason,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Nothing_to_compare_is_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => LittlesLaw.Compare(1, 0, 1, TimeSpan.FromSeconds(1)));
        Assert.Throws<ArgumentOutOfRangeException>(() => LittlesLaw.Compare(1, 1, 1, TimeSpan.Zero));
    }
}
