using System.Diagnostics;
using IntegrationTests.Shared.Faults;
using PerformanceTesting.Subjects;

namespace UnitTests.Running;

/// <summary>A regression on purpose has to be the one that was asked for, or the gate's power would be that of another.</summary>
public sealed class InjectionTests
{
    [Fact]
    public void Exactly_the_tenth_after_the_warm_up_is_lost_doubled_or_started_twice_and_each_measurement_counts_for_itself()
    {
        foreach (var name in new[] { "lost", "duplicate", "leak", "commit" })
        {
            var injection = Injection.Parse(name)!;
            foreach (var planted in new[] { injection.Plant(), injection.Plant() })
            {
                Assert.DoesNotContain(Enumerable.Range(1, 100), _ => IsDone(planted, name));
                planted.BeginMeasuring();
                Assert.Equal(name == "commit" ? [] : [10], Enumerable.Range(1, 1000).Where(_ => IsDone(planted, name)));
            }
        }

        static bool IsDone(IPlantedFault planted, string name) => name switch
        {
            "duplicate" => planted.DeliversAgainWhen(Completed) is not null,
            "leak" => planted.StartsTwice(),
            _ => !planted.Delivers(Completed),
        };
    }

    [Fact]
    public async Task Freeze_holds_every_flush_once_and_for_its_time()
    {
        var planted = Injection.Parse("freeze")!.Plant();
        var store = (FaultyStore)planted.Around(new InMemoryStore(), connectionString: null);
        await FlushAsync(20);
        planted.BeginMeasuring();
        var began = Stopwatch.GetTimestamp();

        await Task.WhenAll(FlushAsync(20), FlushAsync(20));

        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalSeconds, 1.3, 10);

        async Task FlushAsync(int times)
        {
            for (var time = 0; time < times; time++)
            {
                await store.Around([new FlushBatch()], () => Task.CompletedTask);
            }
        }
    }

    [Fact]
    public async Task Delay_makes_a_flush_longer_by_its_share()
    {
        var store = (FaultyStore)Injection.Parse("delay:+50%")!.Plant().Around(new InMemoryStore(), connectionString: null);
        var (began, flushed) = (0L, 0L);

        await store.Around([new FlushBatch()], () =>
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
        var error = Assert.Throws<ArgumentException>(
            () => Injection.Parse(injection)!.Plant().Around(new InMemoryStore(), connectionString: null));

        Assert.Contains("Inject it on a PostgreSQL profile", error.Message, StringComparison.Ordinal);
    }

    private static InstanceCompleted Completed { get; } = new()
    {
        Id = "0-1",
        Timestamps =
            new() { AcceptedUtc = default, ExecutedUtc = default, AcceptedTicks = 0, ExecutedTicks = 0, TicksPerSecond = 1, BootId = "" },
    };
}
