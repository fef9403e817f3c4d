using System.Diagnostics;
using IntegrationTests.Shared.Faults;
using PerformanceTesting.Subjects;

namespace UnitTests.Running;

/// <summary>An injected regression must be the requested one, because the power of the gate is stated for it.</summary>
public sealed class InjectionTests
{
    [Fact]
    public void Planted_fault_hits_the_tenth_operation_of_a_measurement()
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

        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalSeconds, 1.3, 60);

        async Task FlushAsync(int times)
        {
            for (var time = 0; time < times; time++)
            {
                await store.Around([new FlushBatch()], () => Task.CompletedTask);
            }
        }
    }

    [Fact]
    public async Task Work_takes_its_time_for_each_workflow_that_starts()
    {
        var injection = Injection.Parse("work:+20000us")!;
        var store = (FaultyStore)injection.Plant().Around(new InMemoryStore(), connectionString: null);
        var idle = TimeSpan.MaxValue;
        for (var attempt = 0; attempt < 20; attempt++)
        {
            // The machine may pause any one of them, not all.
            var since = Stopwatch.GetTimestamp();
            await store.Around([new FlushBatch()], () => Task.CompletedTask);
            idle = TimeSpan.FromTicks(Math.Min(idle.Ticks, Stopwatch.GetElapsedTime(since).Ticks));
        }

        var batch = new FlushBatch();
        batch.Instances.Add(new InstanceWrite(InstanceOrigin.New, StoreRows.Instance(Guid.NewGuid(), revision: 1)));
        batch.Instances.Add(new InstanceWrite(InstanceOrigin.New, StoreRows.Instance(Guid.NewGuid(), revision: 1)));
        var began = Stopwatch.GetTimestamp();
        await store.Around([batch], () => Task.CompletedTask);

        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalMilliseconds, 40, 60_000);
        Assert.InRange(idle.TotalMilliseconds, 0, 15);
        Assert.Equal(("work:+20000us", true), (injection.Name, injection.IsInStore));
        Assert.Null(Injection.Parse("work"));
        Assert.Null(Injection.Parse("work:+0us"));
    }

    [Fact]
    public async Task Delay_makes_a_flush_longer_by_its_share()
    {
        var store =
            (FaultyStore)Injection.Parse("delay:+50%")!.Plant().Around(new InMemoryStore(), connectionString: null);
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
    public void Extra_server_work_is_refused_without_a_server(string injection)
    {
        var error = Assert.Throws<ArgumentException>(
            () => Injection.Parse(injection)!.Plant().Around(new InMemoryStore(), connectionString: null));

        Assert.Contains("Inject it on a PostgreSQL profile", error.Message, StringComparison.Ordinal);
    }

    private static InstanceCompleted Completed { get; } = new()
    {
        Id = "0-1",
        Timestamps =
            new() { AcceptedUtc = default, ExecutedUtc = default, AcceptedTicks = 0, ExecutedTicks = 0,
                TicksPerSecond = 1, BootId = "" },
    };
}
