using LoadTesting.Core.Analysis.Findings;

namespace UnitTests.LoadTesting.Analysis.Findings;

public sealed class FindingRulesTests
{
    private const int Cores = 2;

    /// <summary>
    /// One second of 100 operations of 80 ms each, 8 in flight. Everything is watched, nothing is slow.
    /// </summary>
    private static readonly FindingSpan Quiet = new()
    {
        Seconds = 1,
        Service = new ProcessUsage(0.1, 0.01, 1 << 27),
        Database = new ProcessUsage(0.05, 0.01, 1 << 28),
        MachineCpuSeconds = 0.2,
        Looks = 10,
        Sums = new SystemSums
        {
            PoolWaitSeconds = 0, GcPauseSeconds = 0.001, CompilationSeconds = 0, DeliverySeconds = 0.05,
            Deliveries = 100,
            ConsumerSeconds = 0.01,
        },
    };

    [Fact]
    public void Wait_costs_its_average_sessions_times_duration_by_operations()
    {
        var findings =
            Judge(Quiet with { Waits = Waits("Lock:transactionid", ResourceNames.Locks, sessions: 60, moments: 10) });

        var first = Assert.Single(findings.Ranked);
        Assert.Equal((1, ResourceNames.Locks, FindingConfidence.High), (first.Rank, first.Resource, first.Confidence));
        Assert.Contains("Lock:transactionid 6.00", first.Evidence[0], StringComparison.Ordinal);
        Assert.Equal(0.06, first.ImpactSecondsPerOperation, 9);
        Assert.Equal(ResourceState.Exonerated, State(findings, ResourceNames.WalFlush));
        Assert.StartsWith(
            "Locks first: 75.0 % of 80.00 ms, high confidence.", findings.Conclusion, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, false)] // 1 ms of 3 ms
    [InlineData(3, true)]
    public void Wait_for_none_of_the_servers_resources_counts_from_a_floor(int sessions, bool isFinding)
    {
        var findings = Judge(
            Quiet with { Waits = Waits("Client:ClientRead", ResourceNames.OtherWaits, sessions, moments: sessions) },
            response: 0.003);

        Assert.Equal(isFinding, findings.Ranked.Any(finding => finding.Resource == ResourceNames.OtherWaits));
    }

    [Fact]
    public void Shares_add_up_to_the_response_time()
    {
        // 12 sessions wait on average for 8 operations in flight, and the processes used more than the elapsed time.
        var findings = Judge(Quiet with
        {
            Waits = Waits("Lock:tuple", ResourceNames.Locks, sessions: 120, moments: 10),
            Service = new ProcessUsage(1.9, 20, 1),
            MachineCpuSeconds = 2,
        });

        var shares = findings.Resources.Sum(resource => resource.ImpactSecondsPerOperation ?? 0)
            + findings.UnexplainedSeconds!.Value;
        Assert.Equal(0.08, shares, 9);
        Assert.All(findings.Ranked, finding => Assert.InRange(finding.ShareOfResponseTime, 0, 1));
    }

    [Fact]
    public void Full_processors_are_charged_with_the_queueing()
    {
        var findings = Judge(Quiet with { Service = new ProcessUsage(1.8, 2, 1 << 27), MachineCpuSeconds = 1.9 });

        Assert.Equal([ResourceNames.ServiceCpu], findings.Ranked.Select(finding => finding.Resource));
        Assert.Equal(FindingConfidence.High, findings.Ranked[0].Confidence);
        Assert.Equal(0, findings.UnexplainedSeconds!.Value, 9);
        Assert.Equal(Cores * 100 / 1.8, Of(findings, ResourceNames.ServiceCpu).LimitPerSecond!.Value, 6);
    }

    [Fact]
    public void Processors_that_are_not_full_are_charged_with_no_queueing()
    {
        var findings = Judge(Quiet with { Service = new ProcessUsage(0.9, 0.2, 1 << 27), MachineCpuSeconds = 1 });

        Assert.NotEqual(ResourceState.Guilty, State(findings, ResourceNames.ServiceCpu));
        Assert.InRange(Of(findings, ResourceNames.ServiceCpu).ImpactSecondsPerOperation!.Value, 0.009, 0.012);
    }

    [Fact]
    public void Little_processor_time_is_not_a_finding()
    {
        // 0.9 of 1 ms are processor time, on processors that are idle for 95 %.
        var findings = Judge(Quiet with { Service = new ProcessUsage(0.09, 0, 1) }, response: 0.001);

        Assert.Empty(findings.Ranked);
        Assert.StartsWith("No resource stands out", findings.Conclusion, StringComparison.Ordinal);
        Assert.Contains(
            Of(findings, ResourceNames.ServiceCpu).Evidence,
            text => text.StartsWith("Only 5 % of the processors", StringComparison.Ordinal));
    }

    [Fact]
    public void More_processor_time_than_operations_had_served_others()
    {
        // 9 ms of processor time for a response of 1 ms: most of it is not on the way of an operation.
        var findings =
            Judge(Quiet with { Service = new ProcessUsage(0.9, 0, 1), MachineCpuSeconds = 1 }, response: 0.001);

        Assert.Empty(findings.Ranked);
        Assert.Contains(
            Of(findings, ResourceNames.ServiceCpu).Evidence,
            text => text.EndsWith("a part of it served none of them.", StringComparison.Ordinal));
    }

    [Fact]
    public void Background_work_is_not_on_the_way()
    {
        var usage = new ProcessUsage(1.2, 0, 1);
        var onPath = Judge(Quiet with { Service = usage, MachineCpuSeconds = 1.3 }, response: 0.015);
        var background = Judge(
            Quiet with { Service = usage with { BackgroundCpuSeconds = 1.1 }, MachineCpuSeconds = 1.3 },
            response: 0.015);

        Assert.Equal([ResourceNames.ServiceCpu], onPath.Ranked.Select(finding => finding.Resource));
        Assert.DoesNotContain(background.Ranked, finding => finding.Resource == ResourceNames.ServiceCpu);
    }

    [Fact]
    public void Only_compilation_on_operation_threads_is_a_finding()
    {
        var service = new ProcessUsage(1.5, 0, 1);
        var cold = Judge(
            Quiet with { Service = service, MachineCpuSeconds = 1.6,
                Sums = Quiet.Sums with { CompilationSeconds = 1.4 } },
            response: 0.015);
        var behind = Judge(
            Quiet with
            {
                Service = service with { BackgroundCpuSeconds = 1.4 }, MachineCpuSeconds = 1.6,
                Sums = Quiet.Sums with { CompilationSeconds = 1.4 },
            },
            response: 0.015);

        Assert.Equal(ResourceNames.Compilation, cold.Ranked[0].Resource);
        Assert.NotEqual(ResourceState.Guilty, State(behind, ResourceNames.Compilation));
    }

    [Fact]
    public void Stall_is_taken_out_and_comes_first()
    {
        // 200/s for 6 s with a stall of 1.4 s: 280 operations wait 0.7 s each on average.
        var findings = FindingRules.Judge(Inputs(Quiet, 0.17) with
        {
            Completed = 1200, DurationSeconds = 6, IsOpen = true,
            Stalls = [new StallResult(2_000, 1_400, 280, StallCause.System)],
        });

        var first = findings.Ranked[0];
        Assert.Equal((ResourceNames.Stalls, FindingConfidence.High), (first.Resource, first.Confidence));
        Assert.Equal(280 * 1.4 / 2 / 1200, first.ImpactSecondsPerOperation, 9);
        Assert.Contains("1.40 s from 2.0 s on, and is the system's", first.Evidence[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Long_stall_is_a_finding_whatever_its_share()
    {
        var stall = new StallResult(0, 1_000, 1, StallCause.System);

        Assert.Equal(
            ResourceNames.Stalls, FindingRules.Judge(Inputs(Quiet, 0.08) with { Stalls = [stall] }).Ranked[0].Resource);
        Assert.DoesNotContain(
            FindingRules.Judge(Inputs(Quiet, 0.08) with { Stalls = [stall with { DurationMs = 300 }] }).Ranked,
            finding => finding.Resource == ResourceNames.Stalls);
    }

    [Fact]
    public void Processors_of_others_are_a_finding_if_threads_waited()
    {
        var findings = Judge(
            Quiet with { Service = new ProcessUsage(0.3, 7, 1 << 27), Database = new(0.05, 0, 1),
                MachineCpuSeconds = 2 });

        Assert.Equal(ResourceNames.OtherProcesses, findings.Ranked[0].Resource);
        Assert.Contains("1.65 of 2 processors", findings.Ranked[0].Evidence[0], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0.1, FindingConfidence.High)]
    [InlineData(0.3, FindingConfidence.Medium)]
    [InlineData(0.7, FindingConfidence.Low)]
    public void Others_on_the_machine_cap_the_confidence(double others, FindingConfidence most)
    {
        var findings = Judge(Quiet with
        {
            Waits = Waits("Lock:tuple", ResourceNames.Locks, sessions: 70, moments: 10),
            MachineCpuSeconds = 0.15 + others,
        });

        Assert.Equal((ResourceNames.Locks, most), (findings.Ranked[0].Resource, findings.Ranked[0].Confidence));
    }

    [Fact]
    public void Cause_that_few_windows_show_has_low_confidence()
    {
        var locked = Quiet with { Waits = Waits("Lock:tuple", ResourceNames.Locks, sessions: 80, moments: 10) };
        var findings = FindingRules.Judge(
            Inputs(Quiet, 0.08) with { Spans = [.. Enumerable.Repeat(locked, 5), .. Enumerable.Repeat(Quiet, 5)] });

        var first = findings.Ranked[0];
        Assert.Equal((ResourceNames.Locks, FindingConfidence.Low), (first.Resource, first.Confidence));
        Assert.Contains("4 of 8 windows of the run agree.", first.Evidence);
    }

    [Fact]
    public void Queue_gets_its_measured_time_without_a_full_resource()
    {
        var findings = FindingRules.Judge(Inputs(Quiet, 0.08) with { QueueWaitSeconds = 0.06 });

        Assert.Equal((ResourceNames.ServiceQueue, 0.06),
            (findings.Ranked[0].Resource, findings.Ranked[0].ImpactSecondsPerOperation));
        Assert.InRange(findings.UnexplainedSeconds!.Value, 0.01, 0.02);
    }

    [Fact]
    public void Unexplained_time_is_a_wait_in_the_service()
    {
        var findings = FindingRules.Judge(Inputs(Quiet, 0.08) with { QueueWaitSeconds = 0 });

        Assert.Equal((ResourceNames.ServiceWaits, FindingConfidence.Medium),
            (findings.Ranked[0].Resource, findings.Ranked[0].Confidence));
    }

    [Fact]
    public void Unexplained_time_names_no_resource_if_one_is_unexamined()
    {
        var findings = FindingRules.Judge(Inputs(Quiet with { Looks = null }, 0.08) with
        {
            QueueWaitSeconds = 0,
            NotMeasured = new Dictionary<string, string> { [ResourceNames.WalFlush] = "It is elsewhere." },
        });

        Assert.Empty(findings.Ranked);
        Assert.InRange(findings.UnexplainedSeconds!.Value, 0.07, 0.08);
        Assert.Contains("WAL flush (It is elsewhere)", findings.Conclusion, StringComparison.Ordinal);
    }

    [Fact]
    public void Events_on_their_way_are_the_brokers_or_the_busy_consumers()
    {
        var slow = Quiet.Sums with { DeliverySeconds = 6 };
        var broker = Judge(Quiet with { Sums = slow });
        var consumer = Judge(Quiet with { Sums = slow with { ConsumerSeconds = 0.95 } });

        Assert.Equal(ResourceNames.EventDelivery, Assert.Single(broker.Ranked).Resource);
        Assert.Equal(ResourceNames.EventConsumer, Assert.Single(consumer.Ranked).Resource);
    }

    [Fact]
    public void Full_pool_without_waiters_is_exonerated()
    {
        var waited = Quiet with { Sums = Quiet.Sums with { PoolWaitSeconds = 6 } };
        var full = FindingRules.Judge(Inputs(Quiet, 0.08) with { Pool = new(8, 8, 0, 0) });
        var few = FindingRules.Judge(Inputs(waited, 0.08) with { Pool = new(2, 2, 6, 0) });
        var opening = FindingRules.Judge(Inputs(waited, 0.08) with { Pool = new(100, 4, 6, 0) });

        Assert.Equal(ResourceState.Exonerated, State(full, ResourceNames.ConnectionPool));
        Assert.Equal((ResourceNames.ConnectionPool, 0.06),
            (few.Ranked[0].Resource, Math.Round(few.Ranked[0].ImpactSecondsPerOperation, 9)));
        Assert.Equal(ResourceState.Exonerated, State(opening, ResourceNames.ConnectionPool));
    }

    [Fact]
    public void Lateness_of_the_generator_counts_from_a_floor()
    {
        var late = FindingRules.Judge(Inputs(Quiet, 0.08) with { ScheduleLagSeconds = 0.05 });
        var little = FindingRules.Judge(Inputs(Quiet, 0.001) with { ScheduleLagSeconds = 0.0009 });

        Assert.Equal((ResourceNames.Generator, 0.05),
            (late.Ranked[0].Resource, Math.Round(late.Ranked[0].ImpactSecondsPerOperation, 9)));
        Assert.Empty(little.Ranked);
    }

    [Fact]
    public void Generator_that_made_no_operation_late_is_not_named()
    {
        var findings =
            FindingRules.Judge(Inputs(Quiet, 0.08) with { GeneratorEvidence = ["the ticker was 300 ms late"] });

        Assert.Equal(ResourceState.Exonerated, State(findings, ResourceNames.Generator));
        Assert.Contains("The ticker was 300 ms late.", Of(findings, ResourceNames.Generator).Evidence);
    }

    [Fact]
    public void Under_a_hundred_operations_nothing_is_ranked()
    {
        var locked = Quiet with { Waits = Waits("Lock:tuple", ResourceNames.Locks, sessions: 80, moments: 10) };
        var findings = FindingRules.Judge(Inputs(locked, 0.08) with { Completed = 99 });

        Assert.Empty(findings.Ranked);
        Assert.Equal("99 operations completed; resources are ranked from 100 on.", findings.Conclusion);
        Assert.Equal(0.08, findings.UnexplainedSeconds);
    }

    [Fact]
    public void What_was_not_measured_is_not_examined_and_says_why()
    {
        var findings = FindingRules.Judge(new FindingInputs
        {
            Completed = 100,
            DurationSeconds = 0.2,
            ResponseSeconds = 0.01,
            Spans = [new FindingSpan { Seconds = 0.2, Service = new ProcessUsage(0.1, null, 1), Looks = 2 }],
            NotMeasured = new Dictionary<string, string> { [ResourceNames.DatabaseCpu] = "It is elsewhere." },
        });

        Assert.Empty(findings.Ranked);
        Assert.Equal(ResourceNames.All, findings.Resources.Select(resource => resource.Resource));
        Assert.Equal("It is elsewhere.", Assert.Single(Of(findings, ResourceNames.DatabaseCpu).Evidence));
        Assert.Contains("0.20 s", Of(findings, ResourceNames.ServiceCpu).Evidence[0], StringComparison.Ordinal);
        Assert.Contains(
            "30 samples are needed", Of(findings, ResourceNames.WalFlush).Evidence[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_completed_operation_there_is_nothing_to_divide_up()
    {
        var findings = FindingRules.Judge(Inputs(Quiet, 0.08) with { Completed = 0, ResponseSeconds = null });

        Assert.Null(findings.ResponseSeconds);
        Assert.All(findings.Resources, resource => Assert.Equal(ResourceState.NotExamined, resource.State));
    }

    [Theory]
    [InlineData(0, 10)]
    [InlineData(0.01, 0)]
    public void Duration_or_response_time_of_nothing_is_refused(double response, double duration) =>
        Assert.Throws<ArgumentOutOfRangeException>(() =>
            FindingRules.Judge(Inputs(Quiet, 0.08) with { ResponseSeconds = response, DurationSeconds = duration }));

    /// <summary>Ten seconds like that one.</summary>
    private static FindingInputs Inputs(FindingSpan second, double response) => new()
    {
        Completed = 1000,
        DurationSeconds = 10,
        ResponseSeconds = response,
        Cores = Cores,
        Spans = [.. Enumerable.Repeat(second, 10)],
        Pool = new ConnectionPoolUse(8, 6, 0, 0),
        GeneratorEvidence = [],
    };

    private static FindingsResult Judge(FindingSpan second, double response = 0.08) =>
        FindingRules.Judge(Inputs(second, response));

    private static Dictionary<string, WaitSum> Waits(string name, string resource, long sessions, long moments) =>
        new() { [name] = new WaitSum(resource, sessions, moments) };

    private static ResourceResult Of(FindingsResult findings, string resource) =>
        findings.Resources.Single(r => r.Resource == resource);

    private static ResourceState State(FindingsResult findings, string resource) => Of(findings, resource).State;
}
