using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Workflow.Abstractions;

namespace IntegrationTests.WebService;

/// <summary>The trace of a caller passes through the service. Spans and metrics go to the configured targets.</summary>
[Trait("Category", "Integration")]
public sealed class TelemetryTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task Completion_carries_the_trace_of_its_requests()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        await using var inbox = await EventInbox.OpenAsync(fixture.Service.BaseAddress, null, Cancel);
        var trace = ActivityTraceId.CreateRandom();

        var traced = await RunAsync(fixture.Http, name, "t-1", trace, "01");
        var unrecorded = await RunAsync(fixture.Http, name, "t-2", ActivityTraceId.CreateRandom(), "00");
        var plain = await RunAsync(fixture.Http, name, "t-3", trace: null, "");

        var parents = new List<string?>();
        foreach (var id in new[] { traced, unrecorded, plain })
        {
            var completed =
                await inbox.WaitForAsync(e => e.Event is InstanceCompleted && e.Event.InstanceId == id, Cancel);
            parents.Add(completed.Event.TraceParent);
        }

        Assert.Matches($"^00-{trace}-[0-9a-f]{{16}}-01$", parents[0]);
        Assert.Equal([null, null], parents.Skip(1));
        var frames = await ReadFramesAsync("InstanceCompleted", 3);
        Assert.Equal([true, false, false],
            frames.Select(frame => frame.Contains("\"traceparent\":\"00-", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("OpenTelemetry:Endpoint"), InlineData("OTEL_EXPORTER_OTLP_ENDPOINT")]
    public async Task Spans_and_metrics_go_to_the_collector(string key)
    {
        await using var collector = await Collector.StartAsync();
        await using var service = await WebServiceProcess.StartAsync(
            new WebServiceOptions
            {
                Settings = new Dictionary<string, string>
                {
                    [key] = collector.Url,
                    ["OTEL_METRIC_EXPORT_INTERVAL"] = "200",
                    ["OTEL_BSP_SCHEDULE_DELAY"] = "100",
                    ["WorkflowCluster:NodeName"] = "node-4711",
                    ["Activities:Http:Allow:0"] = new Uri(collector.Url).Authority,
                },
            },
            Cancel);
        using var http = new HttpClient { BaseAddress = service.BaseAddress };
        var name = await service.Client.RegisterNewAsync(name => $$"""
            { "name": "{{name}}", "version": 1, "start": "wait", "steps": {
              "wait": { "type": "waitSignal", "signal": "resume", "correlation": "= key", "next": "call" },
              "call": { "type": "invoke", "activity": "http", "input": { "url": "{{collector.Url}}/target" }, "next": "done" },
              "done": { "type": "end" } } }
            """);
        var trace = ActivityTraceId.CreateRandom();

        await RunAsync(http, name, "o-1", trace, "01");

        await Eventually.HoldsAsync(
            () => collector.Has("/v1/traces", $"start {name}", "signal resume", $"resume {name}", "invoke http",
                "workflow", "node-4711"),
            "the spans of the workflow");
        Assert.True(collector.HasBytes("/v1/traces", Convert.FromHexString(trace.ToHexString())));
        Assert.Contains(trace.ToHexString(), Assert.Single(collector.Targeted), StringComparison.Ordinal);
        string[] metrics =
        [
            .. EngineCounters.All.Where(c => c.Read(NoNode) is not null).Select(c => c.Instrument),
            "workflow.event_streams",
            "workflow.event_streams_dropped",
            "http.server.request.duration", "dotnet.gc.collections",
        ];
        await Eventually.HoldsAsync(() => collector.Has("/v1/metrics", metrics), "the metrics of the service");
    }

    [Fact]
    public async Task Last_export_has_the_figures_of_the_engine()
    {
        await using var collector = await Collector.StartAsync();
        await using var service = await WebServiceProcess.StartAsync(
            new WebServiceOptions
            {
                Settings = new Dictionary<string, string>
                {
                    ["OpenTelemetry:Endpoint"] = collector.Url, ["OTEL_METRIC_EXPORT_INTERVAL"] = "3600000",
                },
            },
            Cancel);

        Assert.Equal(0, await service.StopAsync(Cancel));

        Assert.True(
            collector.Has(
                "/v1/metrics", EngineCounters.All.Where(c => c.Read(NoNode) is not null).Select(c => c.Instrument)));
    }

    [Fact]
    public async Task Metrics_are_those_of_the_page()
    {
        var page = await fixture.Http.GetStringAsync("/metrics", Cancel);

        Assert.All(
            EngineCounters.All.Where(c => c.Read(NoNode) is not null),
            c => Assert.Contains($"\n{c.Metric} ", page, StringComparison.Ordinal));
    }

    private static EngineStatistics NoNode { get; } = EngineStatistics.Parse(
        EngineCounters.All.ToDictionary(c => c.Metric, _ => 0.0)) with { Cluster = null };

    /// <summary>Starts an instance and sends its signal, both within the trace.</summary>
    private static async Task<Guid> RunAsync(
        HttpClient http, string definition, string key, ActivityTraceId? trace, string flags)
    {
        var started = await PostAsync("/instances", $$"""
            { "definition": "{{definition}}", "correlationKey": "{{key}}", "input": { "key": "{{key}}" } }
            """);
        await PostAsync("/signals", $$"""{ "name": "resume", "correlationKey": "{{key}}" }""");
        return JsonDocument.Parse(started).RootElement.GetProperty("id").GetGuid();

        async Task<string> PostAsync(string path, string json)
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = Answer.Json(json) };
            if (trace is { } id)
            {
                request.Headers.Add("traceparent", $"00-{id}-{ActivitySpanId.CreateRandom()}-{flags}");
            }

            using var response = await http.SendAsync(request, Cancel);
            var text = await response.Content.ReadAsStringAsync(Cancel);
            Assert.True(response.IsSuccessStatusCode, text);
            return text;
        }
    }

    private async Task<IReadOnlyList<string>> ReadFramesAsync(string type, int count)
    {
        using var response =
            await fixture.Http.GetAsync("/events?lastEventId=0:0", HttpCompletionOption.ResponseHeadersRead, Cancel);
        using var lines = new StreamReader(await response.Content.ReadAsStreamAsync(Cancel));
        var frames = new List<string>();
        for (var isWanted = false; frames.Count < count;)
        {
            var line = await lines.ReadLineAsync(Cancel) ?? throw new EndOfStreamException("The stream has ended.");
            isWanted = line.StartsWith("event: ", StringComparison.Ordinal) ? line == $"event: {type}" : isWanted;
            if (isWanted && line.StartsWith("data: ", StringComparison.Ordinal))
            {
                frames.Add(line);
            }
        }

        return frames;
    }

    /// <summary>Receives exports over HTTP and is the target of an activity.</summary>
    internal sealed class Collector : IAsyncDisposable
    {
        private readonly ConcurrentQueue<(string Path, byte[] Body)> _received = new();
        private WebApplication? _app;

        public string Url => _app!.Urls.Single();

        /// <summary>The trace context of each call of the target.</summary>
        public ConcurrentQueue<string> Targeted { get; } = new();

        public static async Task<Collector> StartAsync()
        {
            var collector = new Collector();
            collector._app = await LocalServer.StartAsync(app => app.Run(collector.TakeAsync));
            return collector;
        }

        /// <summary>Whether these texts were received; within protobuf texts are UTF-8.</summary>
        public bool Has(string path, params IEnumerable<string> texts) =>
            texts.All(text => HasBytes(path, Encoding.UTF8.GetBytes(text)));

        public bool HasBytes(string path, byte[] bytes) =>
            _received.Any(r => r.Path == path && r.Body.AsSpan().IndexOf(bytes) >= 0);

        public ValueTask DisposeAsync() => _app!.DisposeAsync();

        private async Task TakeAsync(HttpContext context)
        {
            using var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body, context.RequestAborted);
            if (context.Request.Path == "/target")
            {
                Targeted.Enqueue(context.Request.Headers["traceparent"].ToString());
            }
            else if (context.Request.ContentType == "application/x-protobuf")
            {
                _received.Enqueue((context.Request.Path, body.ToArray()));
            }
        }
    }
}
