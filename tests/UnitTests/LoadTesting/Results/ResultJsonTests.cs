namespace UnitTests.LoadTesting.Results;

public sealed class ResultJsonTests
{
    [Fact]
    public void A_run_reads_back_as_it_was_written()
    {
        var written = ResultJson.Write(SampleRun.Create());

        var read = ResultJson.Read(written);

        Assert.Equal(written, ResultJson.Write(read));
        Assert.Equal(8, read.Scenarios.Count);
        Assert.Equal(VerdictOutcome.Inconclusive, read.Scenarios[^1].Verdict.Outcome);
        Assert.False(read.Scenarios[^2].Ledger!.Balanced);
    }

    [Fact]
    public void A_histogram_gives_its_figures_and_is_read_back()
    {
        var histogram = new LatencyHistogram();
        foreach (var milliseconds in Enumerable.Range(1, 200))
        {
            histogram.Record(TimeSpan.FromMilliseconds(milliseconds));
        }

        var latency = LatencyResult.From(histogram);

        Assert.Equal((200L, 100.5, 200.0), (latency.N, latency.AverageMs!.Value, latency.MaxMs!.Value));
        Assert.InRange(latency.P50Ms!.Value, 99, 101);
        Assert.InRange(latency.P95Ms!.Value, 188, 192);
        Assert.InRange(latency.P99Ms!.Value, 196, 200);
        Assert.Equal(histogram.PercentileMs(75), LatencyHistogram.Parse(latency.Histogram!).PercentileMs(75));
    }

    [Fact]
    public void An_empty_histogram_has_no_figures()
    {
        Assert.Equal(new LatencyResult { N = 0 }, LatencyResult.From(new LatencyHistogram()));
    }

    [Fact]
    public void Unmeasured_figures_are_written_as_null()
    {
        var scenario = SampleRun.Create().Scenarios[0] with { Ledger = null, Generator = null, SignalWorkers = null };

        var json = ResultJson.Write(SampleRun.Create() with { Scenarios = [scenario] });

        Assert.Contains("\"ledger\": null", json, StringComparison.Ordinal);
        Assert.Contains("\"generator\": null", json, StringComparison.Ordinal);
        Assert.Contains("\"signalWorkers\": null", json, StringComparison.Ordinal);
        Assert.Null(ResultJson.Read(json).Scenarios[0].Ledger);
    }

    [Fact]
    public void A_newer_minor_version_with_unknown_members_is_read()
    {
        var json = ResultJson.Write(SampleRun.Create())
            .Replace("\"schemaVersion\": \"1.0\",", "\"schemaVersion\": \"1.7\", \"mood\": \"calm\",",
                StringComparison.Ordinal);

        Assert.Equal("1.7", ResultJson.Read(json).SchemaVersion);
    }

    /// <summary>What no run writes was written by somebody else, who may want it to pass.</summary>
    [Theory]
    [InlineData("ledger.lost", "1", "verdict.outcome is 'passed' and the ledger is not: lost is 1")]
    [InlineData("ledger.completed", "23", "differs by 1 from completed 23")]
    [InlineData("ledger.refused", "-1", "requested 24 differs by 1 from dropped 0 + refused -1")]
    [InlineData("ledger.dropped", "9223372036854775807", "ledger.dropped is 9223372036854775807, which nothing counts")]
    [InlineData("operations", "9007199254740993", "operations is 9007199254740993, which nothing counts")]
    [InlineData("phases.signalPublish", "null", "phases.signalPublish is null")]
    [InlineData("throughputPerSecond", "-3100", "throughputPerSecond is -3100, which nothing measures")]
    [InlineData("throughputPerSecond", "1e999", "throughputPerSecond is ")]
    [InlineData("throughputPerSecond", "\"NaN\"", "throughputPerSecond")]
    [InlineData("latency.p95Ms", "0.0001", "latency has percentiles that fall")]
    [InlineData("latency.n", "25", "latency.n is 25, and its histogram holds 24")]
    [InlineData("phases.signalPublish.n", "23", "phases.signalPublish.n is 23")]
    [InlineData("verdict", "{\"outcome\":\"failed\",\"outcome\":\"passed\",\"reasons\":[]}", "outcome")]
    public void A_result_that_contradicts_itself_is_refused(string member, string value, string named)
    {
        var document = JsonNode.Parse(ResultJson.Write(SampleRun.Create()))!;
        var path = member.Split('.');
        var parent = path[..^1].Aggregate(document["scenarios"]![0]!, (node, name) => node[name]!);
        parent[path[^1]] = "EDITED";

        var refusal =
            Assert.Throws<FormatException>(() => ResultJson.Read(document.ToJsonString().Replace("\"EDITED\"", value)));

        Assert.Contains(named, refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("scenarios.0", "null", "scenarios[0] is null")]
    [InlineData("scenarios.0.stalls", "[null]", "scenarios[0].stalls[0] is null")]
    [InlineData("capacity.0.bracket.low", "0", "postgres-signal-capacity: bracket.low is 0, which no search finds")]
    [InlineData("capacity.0.bracket.high", "-1050", "bracket.high is -1050")]
    [InlineData("capacity.0.bracket.high", "949", "bracket is from 950 to 949")]
    [InlineData("capacity.0.limitPerSecond", "0", "limitPerSecond is 0")]
    public void What_no_run_holds_is_refused_by_name(string member, string value, string named)
    {
        var document =
            JsonNode.Parse(ResultJson.Write(SampleRun.Create() with { Capacity = [DailyRuns.Capacity(1000)] }))!;
        var path = member.Split('.');
        var parent = path[..^1]
            .Aggregate(document, (node, name) => node is JsonArray array ? array[int.Parse(name)]! : node[name]!);
        if (parent is JsonArray list)
        {
            list[int.Parse(path[^1])] = JsonNode.Parse(value);
        }
        else
        {
            parent[path[^1]] = JsonNode.Parse(value);
        }

        var refusal = Assert.Throws<FormatException>(() => ResultJson.Read(document.ToJsonString()));

        Assert.Contains(named, refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{ \"schemaVersion\": \"2.0\" }", "2.0")]
    [InlineData("{ \"runId\": \"x\" }", "missing")]
    [InlineData("{ \"schemaVersion\": \"1.0\" }", "runId")]
    [InlineData("[]", "missing")]
    [InlineData("nonsense", "run.schema.json")]
    public void Document_that_is_not_a_run_is_refused_with_the_reason(string json, string named)
    {
        var refusal = Assert.Throws<FormatException>(() => ResultJson.Read(json));

        Assert.Contains(named, refusal.Message, StringComparison.Ordinal);
    }
}
