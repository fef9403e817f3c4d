using LoadTesting.Core.Http.Streams;
using PerformanceTesting.Subjects;
using PerformanceTesting.Subjects.Streams;

namespace UnitTests.PerformanceTesting;

/// <summary>The suite of event streams: its names and limits, and what it reads of events and metrics.</summary>
public sealed class StreamScenarioTests
{
    private static readonly EventTimestamps Stamps = new()
    {
        AcceptedUtc = default, ExecutedUtc = default, AcceptedTicks = 1, ExecutedTicks = 2, TicksPerSecond = 1_000,
        BootId = "boot",
    };

    [Fact]
    public void Small_sizes_judge_no_times()
    {
        Assert.Equal(
            ["sse-fanout-1000", "admin-api-5", "combined-1000"],
            StreamScenario.Kinds.Select(kind => StreamScenario.Of(kind, new MeasurementVariables()).Name));
        var fast = StreamScenario.Of(
            "sse-fanout", new MeasurementVariables { SseClients = 5_000, SseDeliveriesPerSecond = 40_000 });
        Assert.Equal(TimeSpan.FromMilliseconds(125), fast.Interval);
        var slow = StreamScenario.Of(
            "sse-fanout", new MeasurementVariables { SseClients = 8_000, SseDuration = TimeSpan.FromSeconds(1) });
        Assert.Equal((2.0, 2.0), (slow.Interval.TotalSeconds, slow.Duration?.TotalSeconds));
        Assert.All(StreamScenario.Kinds, kind => Assert.Empty(StreamScenario.Small(kind).Limits));
        Assert.All(
            StreamScenario.Kinds, kind => Assert.NotEmpty(StreamScenario.Of(kind, new MeasurementVariables()).Limits));
        Assert.Throws<ArgumentOutOfRangeException>(() => StreamScenario.Small("sse"));
    }

    [Theory]
    [InlineData("project-37", 1, "0-12", 37, 0, 12)]
    [InlineData("project-5", 3, "2-900000", 205, 2, 900_000)]
    [InlineData("warm-up-5", 3, "2-7", -1, 2, 7)]
    public void Registered_version_is_its_position_in_the_stream(
        string definition, int version, string id, long publication, int stream, long sequence)
    {
        Assert.True(TryRead(Registered(definition, version, id), out var delivery));
        Assert.Equal(new Delivery(publication, stream, sequence), delivery);
    }

    [Fact]
    public void Foreign_event_is_not_part_of_the_load()
    {
        Assert.False(TryRead(new SignalExpired { Id = "0-1", Name = "n", Reason = "r", Timestamps = Stamps }, out _));
        Assert.False(TryRead(Registered("project-1", 1, "yesterday"), out _));
        Assert.False(TryRead("gap", "{\"missed\":4}", out _));
        Assert.False(TryRead("DefinitionRegistered", "{\"id\":\"0-1", out _));
    }

    [Fact]
    public void Metrics_of_process_and_streams_are_in_the_timeline()
    {
        var metrics = StreamSubject.Parse("""
            # HELP process_cpu_seconds_total Processor time used.
            process_cpu_seconds_total 15
            workflow_event_streams 1000
            workflow_signals_total 4
            dotnet_gc_collections_total{generation="0"} 7
            """);

        Assert.Equal(
            "process_cpu_seconds_total 15, workflow_event_streams 1000",
            string.Join(", ", metrics.Select(metric => $"{metric.Key} {metric.Value}")));
    }

    private static DefinitionRegistered Registered(string definition, int version, string id) =>
        new() { Id = id, Definition = definition, DefinitionVersion = version, ContentHash = "4711",
            Timestamps = Stamps };

    private static bool TryRead(IntegrationEvent value, out Delivery delivery) =>
        TryRead(value.Type, EventTypes.ToJson(value), out delivery);

    private static bool TryRead(string type, string data, out Delivery delivery)
    {
        var frame =
            new EventFrame { Type = Encoding.UTF8.GetBytes(type), Data = Encoding.UTF8.GetBytes(data), IsEvent = true };
        return new RegistrationReader("project").TryRead(frame, out delivery);
    }
}
