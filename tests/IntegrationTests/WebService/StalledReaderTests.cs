using System.Net.Sockets;

namespace IntegrationTests.WebService;

/// <summary>Event streams of a separate service with a stalled client, and of one that publishes definitions.</summary>
[Trait("Category", "Integration")]
public sealed class StalledReaderTests(BackendFixture backends) : OneLaneServiceTests(backends)
{
    [Fact]
    public async Task Client_that_reads_nothing_is_dropped_with_a_reason()
    {
        const int Signals = 120;

        // The other reader must not be taken for stalled on a busy machine.
        const string StallSeconds = "10";
        await StartOnAsync(
            database: null,
            new Dictionary<string, string>
            {
                ["Limits:StalledReaderSeconds"] = StallSeconds, ["SignalReceivers:0"] = "burst",
            });
        using var stuck = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            ReceiveBufferSize = 4_096,
        };
        await stuck.ConnectAsync(new IPEndPoint(IPAddress.Loopback, Service.BaseAddress.Port), Cancel);
        await stuck.SendAsync("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray(), Cancel);
        await using var inbox = await EventInbox.OpenAsync(Service.BaseAddress, null, Cancel);
        await Eventually.BecomesAsync(OpenAsync, open => open == 2, open => $"two open streams; there are {open}");

        // More than the buffers of kernel and server take.
        var payload = new string('x', 100_000);
        for (var sent = 0; sent < Signals; sent++)
        {
            using var response = await PostAsync(
                "/signals", $$"""{ "name": "burst", "correlationKey": "k{{sent}}", "payload": "{{payload}}" }""");
            Assert.Equal(HttpStatusCode.Accepted, response.StatusCode);
        }

        await inbox.WaitForAsync(e => e.Event.CorrelationKey == $"k{Signals - 1}", Cancel);
        Assert.Equal(Signals, inbox.Received.Count);
        await Eventually.BecomesAsync(OpenAsync, open => open == 1, open => $"one open stream; there are {open}");
        Assert.Equal(1, await Http.MetricAsync(Service.BaseAddress, "workflow_event_streams_dropped_total"));
        await Eventually.HoldsAsync(
            () => Service.OutputTail.Contains(
                $"its client took nothing for {StallSeconds} s", StringComparison.Ordinal),
            "the reason in the log");
        Assert.Contains("Limits:StalledReaderSeconds", Service.OutputTail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task New_versions_are_on_the_event_stream_if_configured()
    {
        await StartOnAsync(
            database: null, new Dictionary<string, string> { ["IntegrationEvents:Definitions"] = "true" });
        await using var inbox = await EventInbox.OpenAsync(Service.BaseAddress, null, Cancel);

        var registered = await Service.Client.RegisterDefinitionAsync(SampleDefinitions.Linear("config", 3), Cancel);
        var received = await inbox.WaitForAsync(e => e.Event is DefinitionRegistered, Cancel);

        var published = Assert.IsType<DefinitionRegistered>(received.Event);
        Assert.Equal(
            ("config", 3, registered.ContentHash),
            (published.Definition, published.DefinitionVersion, published.ContentHash));
        Assert.NotNull(published.Timestamps.CommittedTicks);
    }

    private Task<double> OpenAsync() => Http.MetricAsync(Service.BaseAddress, "workflow_event_streams");
}
