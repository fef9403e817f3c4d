using System.Diagnostics;
using LoadTesting.Core.Http;
using PerformanceTesting.Subjects;

namespace UnitTests.PerformanceTesting;

/// <summary>The routing of requests while nodes come and go, and the time of lanes without an owner.</summary>
public sealed class ServiceNodesTests
{
    private static readonly Uri First = new("http://first.invalid");
    private static readonly Uri Second = new("http://second.invalid");

    /// <summary>The stream of a node that joins begins behind what another one has still to bring.</summary>
    [Fact]
    public void Overtaken_event_is_not_a_repetition()
    {
        var deliveries = new FirstDeliveries();
        string[] brought = ["3-7", "3-8", "3-11", "3-9", "3-11", "4-2", "3-10", "3-8", "3-9", "3-12", "4-2"];

        Assert.Equal(
            ["3-7", "3-8", "3-11", "3-9", "4-2", "3-10", "3-12"], brought.Where(deliveries.IsFirst));
    }

    [Fact]
    public async Task Unanswered_request_goes_to_the_next_node()
    {
        using var balancer = new NodeBalancer { FailsOver = true };
        var (first, second) = (balancer.Add(First), balancer.Add(Second));
        var asked = new List<HttpSender>();

        for (var i = 0; i < 4; i++)
        {
            await balancer.SendAsync(new("key", i), sender => SendAsync(sender, asked, gone: second));
        }

        Assert.Equal(4, asked.Count(sender => sender == first));
        Assert.Single(asked, second);
        Assert.Equal(1, balancer.FailedOver);
    }

    [Fact]
    public async Task Last_node_stays_and_its_failure_is_the_request_s()
    {
        using var balancer = new NodeBalancer { FailsOver = true };
        var first = balancer.Add(First);

        await Assert.ThrowsAsync<HttpRequestException>(
            () => balancer.SendAsync(new("key", 0), sender => SendAsync(sender, [], gone: first)));
        Assert.Equal("answered", await balancer.SendAsync(new("key", 0), sender => SendAsync(sender, [], gone: null)));
        Assert.Equal(0, balancer.FailedOver);
    }

    [Fact]
    public async Task Request_fails_with_its_node_unless_requests_may_be_repeated()
    {
        using var balancer = new NodeBalancer();
        balancer.Add(First);
        var second = balancer.Add(Second);
        var failed = 0;
        for (var i = 0; i < 4; i++)
        {
            failed += await Record.ExceptionAsync(
                () => balancer.SendAsync(new("key", i), sender => SendAsync(sender, [], gone: second))) is null ? 0 : 1;
        }

        Assert.Equal((2, 0), (failed, balancer.FailedOver));
    }

    [Fact]
    public async Task Node_is_drained_when_all_that_was_sent_to_it_is_answered()
    {
        using var balancer = new NodeBalancer();
        balancer.Add(First);
        var answer = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        var request = balancer.SendAsync(new("key", 0), _ => answer.Task);
        var second = balancer.Add(Second);

        var drained = balancer.DrainAsync(First, TestContext.Current.CancellationToken);
        var asked = new List<HttpSender>();
        for (var i = 0; i < 4; i++)
        {
            await balancer.SendAsync(new("key", i), sender => SendAsync(sender, asked, gone: null));
        }

        Assert.False(drained.IsCompleted);
        answer.SetResult("late");
        Assert.Equal("late", await request);
        await drained;
        Assert.Equal([second], asked.Distinct());
    }

    [Fact]
    public void Takeover_of_a_lane_ends_with_its_first_completion()
    {
        var (killed, gone) = (Stopwatch.Frequency, 2 * Stopwatch.Frequency);
        var takeover = new Takeover([1, 3], killed, gone);

        takeover.Observe(Completed("1-7", executedAt: gone), gone + 5); // By the node itself, and read late;
        takeover.Observe(Completed("2-7", executedAt: gone + 1), gone + 5); // in a lane that it did not have;
        takeover.Observe(
            new InstanceFailed { Id = "1-8", Error = "e", Timestamps = At(gone + 1) }, gone + 5); // and no completion.
        Assert.Equal(0, takeover.Latency.Count);

        takeover.Observe(Completed("1-9", executedAt: gone + 1), killed + (3 * Stopwatch.Frequency));
        takeover.Observe(Completed("1-10", executedAt: gone + 2), killed + (9 * Stopwatch.Frequency));
        Assert.Equal(1, takeover.Latency.Count);

        takeover.Observe(Completed("3-1", executedAt: gone + 3), killed + (4 * Stopwatch.Frequency));
        Assert.Equal(
            (2, 4_000.0, 3_500.0), (takeover.Latency.Count, takeover.Latency.MaxMs, takeover.Latency.AverageMs));
    }

    [Fact]
    public async Task Processor_time_does_not_fall_when_a_process_ends()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Processor time of other processes is read from /proc.");
        using var process = Process.Start(new ProcessStartInfo("sh", ["-c", "while :; do :; done"]))!;
        var services = new List<int> { process.Id };
        var timeline = new ProcessTimeline { Services = () => services };
        var used = await Eventually.BecomesAsync(
            async () => (await timeline.ReadAsync(TestContext.Current.CancellationToken)).ServiceCpuSeconds,
            seconds => seconds > 0,
            seconds => $"processor time; it is {seconds}");

        process.Kill();
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        services.Add(Environment.ProcessId);

        Assert.True((await timeline.ReadAsync(TestContext.Current.CancellationToken)).ServiceCpuSeconds > used);
    }

    private static Task<string> SendAsync(HttpSender sender, List<HttpSender> asked, HttpSender? gone)
    {
        asked.Add(sender);
        return sender == gone
            ? Task.FromException<string>(new HttpRequestException("It is gone.")) : Task.FromResult("answered");
    }

    private static InstanceCompleted Completed(string id, long executedAt) =>
        new() { Id = id, Timestamps = At(executedAt) };

    private static EventTimestamps At(long executedTicks) => new()
    {
        AcceptedUtc = default, ExecutedUtc = default, AcceptedTicks = executedTicks, ExecutedTicks = executedTicks,
        TicksPerSecond = Stopwatch.Frequency, BootId = "boot",
    };
}
