using LoadTesting.Core.Analysis.Gating;

namespace UnitTests.LoadTesting.Analysis.Gating;

public sealed class PairDirectoryTests : IDisposable
{
    private readonly DirectoryInfo _root = Directory.CreateTempSubdirectory("pairs-");

    [Fact]
    public async Task Pairs_are_read_in_the_order_of_their_numbers()
    {
        var directory = new PairDirectory(_root.FullName);
        await SaveAsync(directory, 1, Sides.Run(Sides.Scenario()));
        await SaveAsync(directory, 10, Sides.Run(Sides.Scenario()));
        Directory.CreateDirectory(directory.SidePath(2, isCandidate: false));
        await File.WriteAllTextAsync(
            directory.FailurePath(2, isCandidate: false), "'false' ended with code 1.", Cancel);

        Assert.Equal([1, 2, 10], directory.Pairs());
        Assert.NotNull((await ReadAsync(directory, 1)).Candidate);
        var failed = await ReadAsync(directory, 2);
        Assert.Null(failed.Base);
        Assert.Equal("base: 'false' ended with code 1.", failed.Failures().First());
        Assert.StartsWith("candidate: ", failed.Failures().Last());
    }

    [Fact]
    public void Vetoes_of_a_side_drop_its_pair_and_name_side_value_and_limit()
    {
        var quiet = Sides.Run(Sides.Scenario());
        var stolen =
            quiet with { Run = quiet.Run with { Environment = quiet.Run.Environment with { StealShare = 0.06 } } };
        var bound =
            Sides.Run(Sides.Scenario() with { Verdict = new(VerdictOutcome.Inconclusive, ["a ticker was late"]) });
        var pairs = Enumerable.Range(1, 10)
            .Select(number => new RecordedPair(number, quiet, number == 3 ? stolen : number == 4 ? bound : quiet))
            .ToList();

        var row = Assert.Single(PairGate.Judge(pairs, "a", "b").Scenarios);

        Assert.Equal(8, row.Pairs.Count(pair => pair.IsValid()));
        Assert.Equal(["candidate: the hypervisor gave 6.0 % of the processors to others; the limit is 2.0 %"],
            row.Pairs[2].Vetoes);
        Assert.Equal(["candidate: inconclusive: a ticker was late"], row.Pairs[3].Vetoes);
        Assert.Equal(GateVerdict.NotRegressed, row.Verdict);
    }

    [Fact]
    public void Vetoes_of_the_result_itself_drop_its_pair_too()
    {
        var quiet = Sides.Run(Sides.Scenario());
        var check = CheckResult.AtMost(
            "throttled", CheckSubject.Measurement, 0.2, 0.01, $"20 % of the time the control group was throttled");
        var disturbed = Sides.Run(Sides.Scenario() with { Validity = new ValidityResult { Environment = [check] } });

        var row = Assert.Single(PairGate.Judge([new(1, disturbed, quiet)], "a", "b").Scenarios);

        Assert.StartsWith("base: 20 % of the time the control group was throttled", Assert.Single(row.Pairs[0].Vetoes));
    }

    [Fact]
    public void Sides_of_unlike_content_cannot_pass()
    {
        var pair = new RecordedPair(
            1, Sides.Run(Sides.Scenario()), Sides.Run(Sides.Scenario() with { DefinitionHash = "new" }));

        var result =
            PairGate.Judge([.. Enumerable.Range(1, 10).Select(number => pair with { Number = number })], "a", "b");

        Assert.Equal(GateVerdict.Inconclusive, result.Verdict);
        Assert.Equal(GateCause.Unlike, result.Cause);
        Assert.StartsWith("The sides are not comparable: content is", result.Scenarios[0].Reasons[0]);
    }

    [Fact]
    public void Scenario_only_in_the_base_regresses()
    {
        var (both, more) = (Sides.Run(Sides.Scenario()), Sides.Run(Sides.Scenario(), Sides.Scenario("another-xl")));
        GateResult Judge(ComparisonSource reference, ComparisonSource candidate) =>
            PairGate.Judge(
                [.. Enumerable.Range(1, 10).Select(number => new RecordedPair(number, reference, candidate))],
                "a", "b");

        var added = Judge(both, more);
        Assert.Equal((GateVerdict.NotRegressed, GateVerdict.NotGated), (added.Verdict, added.Scenarios[1].Verdict));

        // A new scenario has no baseline to be slower than, but it has to be correct.
        var wrong = Sides.Run(Sides.Scenario(),
            Sides.Scenario("another-xl") with { Verdict = new(VerdictOutcome.Failed, ["lost is 1"]) });
        Assert.Equal(GateVerdict.Regressed, Judge(both, wrong).Scenarios[1].Finding("failedRuns").Verdict);
        Assert.Equal(GateVerdict.Regressed, StoredGate.Judge([both], wrong).Verdict);
        Assert.Equal(GateVerdict.NotRegressed, StoredGate.Judge([both], more).Verdict);

        var removed = Judge(more, both);
        Assert.Equal(
            (GateVerdict.Regressed, 10), (removed.Verdict, removed.Scenarios[1].Finding("missingRuns").Measured));
    }

    [Theory]
    [InlineData(VerdictOutcome.Passed, GateVerdict.Regressed)]
    [InlineData(VerdictOutcome.Inconclusive, GateVerdict.NotRegressed)] // The result says what is wrong.
    public void Command_that_fails_regresses_where_no_result_says_why(VerdictOutcome outcome, GateVerdict expected)
    {
        var sound = Sides.Run(Sides.Scenario());
        var pairs = Enumerable.Range(1, 10).Select(number => new RecordedPair(number, sound, sound)).ToList();
        var other = Sides.Scenario("another") with { Verdict = new(outcome, []) };
        pairs[3] =
            pairs[3] with { Candidate = Sides.Run(Sides.Scenario(), other), CandidateFailure = "ended with code 1" };

        Assert.Equal(expected, PairGate.Judge(pairs, "a", "b").Scenarios[0].Verdict);
        var both = pairs.Select(
            pair => pair with { BaseFailure = "ended with code 1", CandidateFailure = "ended with code 1" }).ToList();
        Assert.Equal(GateVerdict.NotRegressed, PairGate.Judge(both, "a", "b").Scenarios[0].Verdict);
    }

    [Fact]
    public void Base_with_a_planted_fault_is_inconclusive()
    {
        var sound = Sides.Run(Sides.Scenario());
        var injected = Sides.Run(Sides.Scenario() with { Injected = "delay:+30%" });

        GateResult Judge(ComparisonSource reference, ComparisonSource candidate) =>
            PairGate.Judge(
                [.. Enumerable.Range(1, 10).Select(number => new RecordedPair(number, reference, candidate))],
                "a", "b");

        Assert.Equal((GateVerdict.Inconclusive, GateCause.Unlike),
            (Judge(injected, sound).Verdict, Judge(injected, sound).Cause));
        Assert.Contains("made worse on purpose (delay:+30%)", Judge(injected, sound).Scenarios[0].Reasons[0]);
        Assert.Equal(GateVerdict.NotRegressed, Judge(sound, injected).Verdict);
        Assert.Equal(GateVerdict.Inconclusive, StoredGate.Judge([injected], sound).Verdict);
    }

    [Fact]
    public void Failed_measurement_is_not_replaced_by_a_later_one()
    {
        var sound = Sides.Run(Sides.Scenario());
        var repeated =
            Sides.Run(Sides.Scenario() with { Verdict = new(VerdictOutcome.Failed, ["lost is 1"]) }, Sides.Scenario());
        var pairs = Enumerable.Range(1, 10)
            .Select(number => new RecordedPair(number, sound, number == 5 ? repeated : sound)).ToList();

        Assert.Equal(GateVerdict.Regressed, PairGate.Judge(pairs, "a", "b").Scenarios[0].Finding("failedRuns").Verdict);
        Assert.Equal(GateVerdict.Regressed, StoredGate.Judge([sound], repeated).Verdict);
    }

    [Fact]
    public void Order_is_a_coin_for_each_pair_and_repeats_with_its_seed()
    {
        var order = PairOrder.CandidateFirst(seed: 4).Take(400).ToList();

        Assert.InRange(order.Count(first => first), 160, 240);
        Assert.InRange(order.Zip(order.Skip(1)).Count(two => two.First == two.Second), 160, 240);
        Assert.Equal(order, PairOrder.CandidateFirst(seed: 4).Take(400));
        Assert.NotEqual(order, PairOrder.CandidateFirst(seed: 5).Take(400));
    }

    public void Dispose() => _root.Delete(recursive: true);

    private static Task<RecordedPair> ReadAsync(PairDirectory directory, int pair) => directory.ReadAsync(pair, Cancel);

    private static async Task SaveAsync(PairDirectory directory, int pair, ComparisonSource run)
    {
        foreach (var isCandidate in new[] { false, true })
        {
            var latest = Directory.CreateDirectory(Path.Combine(directory.SidePath(pair, isCandidate), "latest"));
            await File.WriteAllTextAsync(Path.Combine(latest.FullName, "run.json"), ResultJson.Write(run.Run), Cancel);
        }
    }
}
