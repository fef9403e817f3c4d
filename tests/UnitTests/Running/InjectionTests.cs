using System.Diagnostics;
using IntegrationTests.Shared.Faults;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Events;
using Workflow.Stores.Memory;

namespace UnitTests.Running;

/// <summary>A regression on purpose has to be the one that was asked for, or the gate's power would be that of another.</summary>
public sealed class InjectionTests
{
    [Fact]
    public void Exactly_the_tenth_completion_is_not_told_and_each_listener_counts_for_itself()
    {
        foreach (var listens in new[] { Lost.Listener(), Lost.Listener() })
        {
            Assert.Equal([10], Enumerable.Range(1, 1000).Where(_ => !listens(Completed)));
        }

        Assert.True(Injection.Parse("commit")!.Listener()(Completed));
    }

    [Fact]
    public async Task Delay_makes_a_flush_longer_by_its_share()
    {
        var store = (FaultyStore)Injection.Parse("delay:+50%")!.Around(new InMemoryStore(), connectionString: null);
        var (began, flushed) = (0L, 0L);

        await store.Around(new FlushBatch(), () =>
        {
            began = Stopwatch.GetTimestamp();
            while (Stopwatch.GetElapsedTime(began) < TimeSpan.FromMilliseconds(20))
            {
                Thread.SpinWait(20);
            }

            flushed = Stopwatch.GetTimestamp();
            return Task.CompletedTask;
        });

        Assert.True(Stopwatch.GetElapsedTime(flushed) >= Stopwatch.GetElapsedTime(began, flushed) * 0.5 * 0.99);
    }

    [Theory]
    [InlineData("commit"), InlineData("query")]
    public void Extra_work_on_a_server_is_refused_where_there_is_none(string injection)
    {
        var error = Assert.Throws<ArgumentException>(() => Injection.Parse(injection)!.Around(new InMemoryStore(), connectionString: null));

        Assert.Contains("Inject it on a PostgreSQL profile", error.Message, StringComparison.Ordinal);
    }

    private static Injection Lost => Injection.Parse("lost")!;

    private static InstanceCompleted Completed { get; } = new()
    {
        Id = "0-1",
        Timestamps =
            new() { AcceptedUtc = default, ExecutedUtc = default, AcceptedTicks = 0, ExecutedTicks = 0, TicksPerSecond = 1, BootId = "" },
    };
}
