using LoadTesting.Core.Analysis.Findings;

namespace UnitTests.LoadTesting.Analysis.Findings;

public sealed class FindingRulesTests
{
    /// <summary>1,000 operations in 10 s, 8 in flight: 100/s, 80 ms each. Everything was watched, and nothing takes long.</summary>
    private static readonly FindingInputs Idle = new()
    {
        Completed = 1000,
        DurationSeconds = 10,
        ResponseSeconds = 0.08,
        Cores = 2,
        Service = new ProcessUsage(1, 0.1, 1 << 27),
        Database = new ProcessUsage(0.5, 0.1, 1 << 28),
        MachineCpuSeconds = 2,
        Waits = [],
        WaitSamples = 100,
        Pool = new ConnectionPoolUse(8, 1, 0, 0),
        QueueWaitSeconds = 0.001,
        GcPauseShare = 0.001,
        GeneratorEvidence = [],
    };

    [Fact]
    public void Wait_costs_its_average_sessions_times_duration_by_operations()
    {
        var findings = FindingRules.Judge(Idle with { Waits = [new("Lock:transactionid", ResourceNames.Locks, 6, 1)] });

        var first = Assert.Single(findings.Ranked);
        Assert.Equal((1, ResourceNames.Locks, FindingConfidence.High), (first.Rank, first.Resource, first.Confidence));
        Assert.Contains("Lock:transactionid 6.00", first.Evidence[0], StringComparison.Ordinal);
        Assert.Equal(0.06, 6 * 10.0 / 1000, 12);
        Assert.InRange(first.ImpactSecondsPerOperation, 0.06, 0.08); // And what queues behind it.
        Assert.Equal(ResourceState.Guilty, State(findings, ResourceNames.Locks));
        Assert.Equal(ResourceState.Exonerated, State(findings, ResourceNames.WalFlush));
    }

    [Fact]
    public void Queueing_is_charged_to_the_full_resource_that_holds_operations_longest()
    {
        // A flush that many operations share: one session waits nearly always, and 64 of 80 ms are in no measurement.
        var findings = FindingRules.Judge(Idle with
        {
            Waits = [new("IO:WALSync", ResourceNames.WalFlush, 0.95, 0.95), new("IO:DataFileRead", ResourceNames.Disk, 0.9, 0.85)],
        });

        var first = findings.Ranked[0];
        Assert.Equal((ResourceNames.WalFlush, FindingConfidence.Medium), (first.Resource, first.Confidence));
        Assert.Equal(0, findings.UnexplainedSeconds!.Value, 9);
        Assert.Contains(first.Evidence, text => text.Contains("95.0 % busy", StringComparison.Ordinal));
        Assert.Equal(100 / 0.95, findings.Resources.Single(r => r.Resource == ResourceNames.WalFlush).LimitPerSecond!.Value, 6);
    }

    [Fact]
    public void Where_nothing_is_full_the_services_own_queue_takes_what_it_measured_and_the_rest_stays_unexplained()
    {
        var findings = FindingRules.Judge(Idle with { QueueWaitSeconds = 0.05 });

        var first = Assert.Single(findings.Ranked);
        Assert.Equal((ResourceNames.ServiceQueue, 0.05), (first.Resource, first.ImpactSecondsPerOperation));
        Assert.InRange(findings.UnexplainedSeconds!.Value, 0.02, 0.03);
    }

    [Fact]
    public void Queue_behind_a_full_resource_is_that_resources_doing()
    {
        var findings = FindingRules.Judge(
            Idle with { QueueWaitSeconds = 0.05, Service = new ProcessUsage(18, 20, 1 << 27), MachineCpuSeconds = 19 });

        Assert.Equal([ResourceNames.ServiceCpu], findings.Ranked.Select(finding => finding.Resource));
        Assert.Equal(ResourceState.Exonerated, State(findings, ResourceNames.ServiceQueue));
        Assert.Equal(2 * 1000 / 18.0, findings.Resources[0].LimitPerSecond!.Value, 6);
    }

    [Fact]
    public void Processors_that_others_use_lower_the_confidence_and_are_reported()
    {
        var findings = FindingRules.Judge(Idle with { Service = new ProcessUsage(5, 40, 1 << 27), MachineCpuSeconds = 20 });

        Assert.Equal((ResourceNames.ServiceCpu, FindingConfidence.Low), (findings.Ranked[0].Resource, findings.Ranked[0].Confidence));
        Assert.Contains(
            findings.Ranked[0].Evidence, text => text.StartsWith("Other processes used 1.45 processors", StringComparison.Ordinal));
    }

    [Fact]
    public void Process_that_runs_while_no_operation_is_under_way_is_in_nobodys_way()
    {
        // One operation of 1 ms a second, and a process that keeps itself busy for a fifth of a processor.
        var findings = FindingRules.Judge(
            Idle with { Completed = 10, ResponseSeconds = 0.001, Service = new ProcessUsage(1.9, 0, 1 << 27) });

        Assert.Equal(ResourceState.Exonerated, State(findings, ResourceNames.ServiceCpu));
    }

    [Fact]
    public void Processor_time_gets_no_more_of_the_response_time_than_waits_leave()
    {
        // 7 of 8 clients wait at any moment: 70 of 80 ms. The processes were ready to run for 24 ms an operation, 16 of them for nobody.
        var findings = FindingRules.Judge(Idle with
        {
            Waits = [new("Timeout:PgSleep", ResourceNames.OtherWaits, 7, 1)], GcPauseShare = 0, Service = new(1, 15, 1),
            Database = new(1, 7, 1),
        });

        Assert.Equal([ResourceNames.OtherWaits], findings.Ranked.Select(finding => finding.Resource));
        Assert.Equal(0.01, findings.Resources.Take(2).Sum(resource => resource.ImpactSecondsPerOperation!.Value), 9);
        Assert.Equal(0, findings.UnexplainedSeconds!.Value, 9);
    }

    [Fact]
    public void Pool_that_is_full_and_that_nobody_waits_for_is_exonerated_and_one_that_is_waited_for_is_not()
    {
        var full = FindingRules.Judge(Idle with { Pool = new(8, 8, 0, 0) });
        var short_ = FindingRules.Judge(Idle with { Pool = new(2, 2, 6, 0) });
        var vain = FindingRules.Judge(Idle with { Pool = new(8, 4, 0.1, 3) });

        Assert.Equal(ResourceState.Exonerated, State(full, ResourceNames.ConnectionPool));
        Assert.Equal((ResourceNames.ConnectionPool, 0.06), (short_.Ranked[0].Resource, short_.Ranked[0].ImpactSecondsPerOperation));
        Assert.Equal(ResourceState.Guilty, State(vain, ResourceNames.ConnectionPool));
    }

    [Fact]
    public void Lateness_of_the_generator_counts_from_a_floor_and_a_failed_health_check_always()
    {
        var late = FindingRules.Judge(Idle with { ScheduleLagSeconds = 0.05 });
        var little = FindingRules.Judge(Idle with { ScheduleLagSeconds = 0.0009, ResponseSeconds = 0.001 });
        var unhealthy = FindingRules.Judge(Idle with { GeneratorEvidence = ["the ticker was 300 ms late"] });

        Assert.Equal(ResourceNames.Generator, late.Ranked[0].Resource);
        Assert.Equal(ResourceState.Exonerated, State(little, ResourceNames.Generator));
        var finding = unhealthy.Ranked.Single(f => f.Resource == ResourceNames.Generator);
        Assert.Contains("The ticker was 300 ms late.", finding.Evidence);
        Assert.Equal(FindingConfidence.Low, finding.Confidence);
    }

    [Fact]
    public void Pauses_of_the_collector_cost_their_share_of_the_response_time()
    {
        var findings = FindingRules.Judge(Idle with { GcPauseShare = 0.3 });

        Assert.Equal(0.3, findings.Ranked.Single(f => f.Resource == ResourceNames.GarbageCollection).ShareOfResponseTime, 9);
    }

    [Fact]
    public void What_was_not_measured_is_not_examined_and_says_why()
    {
        var findings = FindingRules.Judge(new FindingInputs
        {
            Completed = 100,
            DurationSeconds = 0.2,
            ResponseSeconds = 0.01,
            Service = new ProcessUsage(0.1, null, 1),
            Waits = [],
            WaitSamples = 2,
            NotMeasured = new Dictionary<string, string> { [ResourceNames.DatabaseCpu] = "It is elsewhere." },
        });

        Assert.Empty(findings.Ranked);
        Assert.All(findings.Resources, resource =>
            Assert.Equal((ResourceState.NotExamined, null), (resource.State, resource.ImpactSecondsPerOperation)));
        Assert.Equal(ResourceNames.All, findings.Resources.Select(resource => resource.Resource));
        Assert.Equal("It is elsewhere.", Assert.Single(findings.Resources[1].Evidence));
        Assert.Contains("0.20 s", findings.Resources[0].Evidence[0], StringComparison.Ordinal);
        Assert.Contains("30 samples are needed", findings.Resources[2].Evidence[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_completed_operation_there_is_nothing_to_divide_up()
    {
        var findings = FindingRules.Judge(Idle with { Completed = 0, ResponseSeconds = null });

        Assert.Null(findings.ResponseSeconds);
        Assert.All(findings.Resources, resource => Assert.Equal(ResourceState.NotExamined, resource.State));
    }

    [Fact]
    public void Few_operations_lower_the_confidence()
    {
        var findings = FindingRules.Judge(Idle with { Completed = 29, Waits = [new("Lock:tuple", ResourceNames.Locks, 0.2, 0.2)] });

        Assert.Equal((ResourceNames.Locks, FindingConfidence.Low), (findings.Ranked[0].Resource, findings.Ranked[0].Confidence));
    }

    [Theory]
    [InlineData(0, 10)]
    [InlineData(0.01, 0)]
    public void Duration_or_response_time_of_nothing_is_refused(double response, double duration) =>
        Assert.Throws<ArgumentOutOfRangeException>(() =>
            FindingRules.Judge(Idle with { ResponseSeconds = response, DurationSeconds = duration }));

    private static ResourceState State(FindingsResult findings, string resource) =>
        findings.Resources.Single(r => r.Resource == resource).State;
}
