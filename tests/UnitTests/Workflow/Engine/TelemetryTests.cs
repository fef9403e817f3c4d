using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Threading.Channels;
using MassTransit;
using Workflow.Engine.Diagnostics;
using Workflow.Events.MassTransit;

namespace UnitTests.Workflow.Engine;

public sealed class TelemetryTests
{
    [Fact]
    public void Meter_has_every_figure_of_the_metrics_page()
    {
        const double First = 4_711_000;
        var statistics = EngineCounters.All.Select((counter, i) => (counter, i)).Aggregate(
            EngineStatistics.Parse(EngineCounters.All.ToDictionary(c => c.Metric, _ => 0.0)),
            (s, c) => c.counter.With(s, First + c.i));
        using var meter = new EngineMeter(() => statistics);
        var seen = new HashSet<(string Name, double Value)>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, all) =>
            {
                if (instrument.Meter.Name == EngineMeter.Name)
                {
                    all.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((instrument, value, _, _) => seen.Add((instrument.Name, value)));
        listener.Start();

        listener.RecordObservableInstruments();

        Assert.All(EngineCounters.All.Select((counter, i) => (counter, i)), c =>
            Assert.Contains((c.counter.Instrument, First + c.i), seen));
        Assert.All(EngineCounters.All, c => Assert.Equal(
            c.Metric, c.Instrument.Replace('.', '_') + (c.Kind == CounterKind.Counter ? "_total" : "")));
    }

    [Fact]
    public async Task Message_of_an_event_has_the_trace_in_its_header()
    {
        const string Trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        var received = Channel.CreateUnbounded<(string Id, string? Header, string? Member)>();
        var bodies = new ConcurrentQueue<string>();
        var bus = Bus.Factory.CreateUsingInMemory(factory =>
        {
            factory.UseCompactJson();
            factory.ReceiveEndpoint("traced", endpoint => endpoint.Handler<InstanceFailed>(context =>
            {
                bodies.Enqueue(context.ReceiveContext.Body.GetString());
                return received.Writer.WriteAsync((
                    context.Message.Id, context.Headers.Get<string>(MassTransitEventPublisher.TraceParentHeader),
                    context.Message.TraceParent)).AsTask();
            }));
        });
        await bus.StartAsync(Cancel);
        try
        {
            var publisher = new MassTransitEventPublisher(bus);
            await publisher.PublishAsync(Event("traced") with { TraceParent = Trace }, Cancel);
            Assert.Equal(("traced", Trace, Trace), await received.Reader.ReadAsync(Cancel));

            using var span = new Activity("publish").SetParentId(Trace).Start();
            await publisher.PublishAsync(Event("within") with { TraceParent = Trace }, Cancel);
            Assert.Equal(("within", span.Id, Trace), await received.Reader.ReadAsync(Cancel));

            await publisher.PublishAsync(Event("plain"), Cancel);
            Assert.Equal(("plain", null, null), await received.Reader.ReadAsync(Cancel));
            Assert.All(bodies, body => Assert.DoesNotContain('\n', body));
        }
        finally
        {
            await bus.StopAsync(CancellationToken.None);
        }

        static InstanceFailed Event(string id) => new()
        {
            Id = id,
            Error = "wrong",
            Timestamps = new()
            {
                AcceptedUtc = default, ExecutedUtc = default, AcceptedTicks = 0, ExecutedTicks = 0, TicksPerSecond = 1,
                BootId = "test",
            },
        };
    }

    [Fact]
    public void Unrecorded_request_allocates_nothing_for_its_trace()
    {
        // As the server makes one for every request.
        using var request = new Activity("request").Start();
        Assert.Equal(0, Enumerable.Range(0, 5).Min(_ => Allocated()));

        request.ActivityTraceFlags = ActivityTraceFlags.Recorded;
        Assert.Equal(request.Id, Tracing.Caller);

        static long Allocated()
        {
            var traces = Tracing.Caller is null ? 0 : 1;
            var before = GC.GetAllocatedBytesForCurrentThread();
            for (var i = 0; i < 10_000; i++)
            {
                traces += Tracing.Caller is null ? 0 : 1;
            }

            var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            Assert.Equal(0, traces);
            return allocated;
        }
    }
}
