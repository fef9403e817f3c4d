using System.Net.Sockets;
using System.Text.RegularExpressions;
using Foundation;
using IntegrationTests.WebService;
using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Live;
using LoadTesting.Core.Load.Watches;
using LoadTesting.Core.Reporting.Live;

namespace IntegrationTests.Dashboards;

/// <summary>Dashboards query only metrics that a running service exports or a load publishes.</summary>
[Trait("Category", "Integration")]
public sealed class DashboardTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    private static readonly Dictionary<string, IReadOnlySet<string>> OfLoad = LoadMetrics.All.ToDictionary(
        metric => metric.Metric,
        metric => (IReadOnlySet<string>)metric.Labels.Select(label => label.Replace('.', '_')).ToHashSet());

    [Fact]
    public async Task Every_query_names_metrics_and_labels_that_are_exported()
    {
        var exported = await ExportedAsync();

        Assert.Equal(["backend", "load", "service"], Dashboard.All.Select(dashboard => dashboard.Name));
        AllHolds(Dashboard.All.SelectMany(dashboard => dashboard.Panels.SelectMany(panel => panel.Queries.SelectMany(query =>
            QueryNames.Unknown(query.Query, query.Legend, exported)
                .Select(unknown => $"{dashboard.Name}, {panel.Title}: {unknown}")))));
        Assert.All(Dashboard.All.SelectMany(dashboard => dashboard.Choices), choice =>
        {
            var values = Regex.Match(choice, @"^label_values\((\w+), (\w+)\)$");
            Assert.True(values.Success, choice);
            Assert.Empty(QueryNames.Unknown(values.Groups[1].Value, $"{{{{{values.Groups[2].Value}}}}}", exported));
        });
    }

    [Fact]
    public async Task Every_dashboard_uses_the_provisioned_source()
    {
        var source = await File.ReadAllTextAsync(
            Path.Combine(Dashboard.Folder, "provisioning", "datasources", "prometheus.yml"), Cancel);

        Assert.All(Dashboard.All, dashboard =>
            Assert.Contains($"\n    uid: {Assert.Single(dashboard.Sources)}\n", source, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(
        "sum by (scenario) (rate(load_iterations_startd_total[5m]))", "", "nobody exports load_iterations_startd_total",
        "the label scenario")]
    [InlineData("load_latency_seconds{scenari=~\"a{b\"}", "", "load_latency_seconds has no label scenari")]
    [InlineData("sum by (le, rout) (load_latency_seconds)", "", "the label le", "the label rout")]
    [InlineData("load_backlog / on (instance) group_left (nod) workflow_lane", "", "nobody exports workflow_lane",
        "the label nod")]
    [InlineData("topk(10, load_backlog offset 5m > bool 3)", "{{job}} {{scenario}}", "the label scenario")]
    [InlineData("vector(1)", "", "names no metric")]
    [InlineData(
        "rate(load_errors_total{error_type!=\"429\",scenario=\"x\"}[$__rate_interval])", "{{instance}} {{error_type}}")]
    public void Misspelt_name_in_a_query_is_found(string query, string legend, params string[] expected)
    {
        var found = QueryNames.Unknown(query, legend, OfLoad).ToList();

        Assert.Equal(expected.Length, found.Count);
        Assert.All(expected.Zip(found), pair => Assert.EndsWith(pair.First, pair.Second, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Every_dashboard_query_finds_data_in_Prometheus()
    {
        var program = NativeServer.FindProgram("prometheus", "/usr/bin", "/usr/local/bin");
        Assert.SkipWhen(
            program is null, "No prometheus is on PATH, in /usr/bin or /usr/local/bin: apt-get install -y prometheus.");
        using var metrics = new LoadMetrics();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var port = LoopbackPort.Free();
        await using var page = MetricsEndpoint.Start(metrics, port, () => [fixture.Service.BaseAddress]);
        await using var prometheus = await PrometheusServer.StartAsync(program, await ConfigurationAsync(port));
        using var http = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{prometheus.Port}") };
        var load = new LoadRunner().RunAsync([await ScenarioAsync()], OptionsOf(metrics), stop.Token);
        try
        {
            var queries = Dashboard.All.SelectMany(d => d.Panels).SelectMany(panel => panel.Queries).Distinct()
                .ToList();
            Assert.True(queries.Count >= 30, $"{queries.Count} queries");
            await Eventually.BecomesAsync(
                async () =>
                {
                    await Task.Delay(TimeSpan.FromMilliseconds(200), Cancel);
                    queries = await WithoutDataAsync(http, queries);
                    return queries;
                },
                left => left.Count == 0,
                left => $"data of {string.Join(Environment.NewLine, left)}{Environment.NewLine}{prometheus.LogTail}");
        }
        finally
        {
            await stop.CancelAsync();
            await ((Task)load).ConfigureAwait(
                ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        }

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => load);
    }

    private static void AllHolds(IEnumerable<string> violations) =>
        Assert.Equal("", string.Join(Environment.NewLine, violations));

    /// <summary>Labels by metric.</summary>
    private async Task<IReadOnlyDictionary<string, IReadOnlySet<string>>> ExportedAsync() =>
        QueryNames.OfPage(await fixture.Http.GetStringAsync("/metrics", Cancel))
            .GroupBy(sample => sample.Metric, sample => sample.Labels)
            .ToDictionary(
                metric => metric.Key, metric => (IReadOnlySet<string>)metric.SelectMany(labels => labels).ToHashSet())
            .Concat(OfLoad).ToDictionary();

    /// <summary>Starts workflows on the service; one in ten fails, so that there are errors to see.</summary>
    private async Task<ScenarioProps> ScenarioAsync()
    {
        var definition = await fixture.Client.RegisterNewAsync(name => SampleDefinitions.Linear(name));
        return Scenario.Create("dashboards", async context =>
        {
            using var answer = await fixture.Http.PostAsync(
                "/instances", $$"""{ "definition": "{{definition}}", "input": { "price": 2, "quantity": 3 } }""",
                context.ScenarioCancellationToken);
            return context.IterationNumber % 10 == 0 ? Response.Fail("planted")
                : answer.IsSuccessStatusCode ? Response.Ok()
                : Response.Fail(((int)answer.StatusCode).ToString(CultureInfo.InvariantCulture));
        }).WithLoadSimulations(Simulation.Inject(50, TimeSpan.FromSeconds(1), Eventually.Deadline * 2));
    }

    private LoadOptions OptionsOf(LoadMetrics metrics) => new()
    {
        Metrics = metrics,
        Timeline = new CombinedTimeline([new ProcessTimeline([fixture.Service.ProcessId]), new MadeUpDatabase()]),
    };

    /// <summary>The file that users get, with another port and shorter intervals.</summary>
    private static async Task<string> ConfigurationAsync(int port)
    {
        var configuration = await File.ReadAllTextAsync(Path.Combine(Dashboard.Folder, "prometheus.yml"), Cancel);
        foreach (var (old, changed) in new[]
            {
                ("127.0.0.1:9464", $"127.0.0.1:{port}"), ("scrape_interval: 1s", "scrape_interval: 250ms"),
                ("scrape_timeout: 1s", "scrape_timeout: 250ms"),
            })
        {
            Assert.Contains(old, configuration, StringComparison.Ordinal);
            configuration = configuration.Replace(old, changed, StringComparison.Ordinal);
        }

        return configuration;
    }

    /// <summary>Those of the queries that have no data yet; series have the labels that their legend names.</summary>
    private static async Task<List<(string Query, string Legend)>> WithoutDataAsync(
        HttpClient http, IEnumerable<(string Query, string Legend)> queries)
    {
        var left = new List<(string, string)>();
        foreach (var (query, legend) in queries)
        {
            var promQl = Regex.Replace(
                query.Replace("$__rate_interval", "4s", StringComparison.Ordinal), @"\$\w+", ".+");
            using var answer = await http.GetAsync($"/api/v1/query?query={Uri.EscapeDataString(promQl)}", Cancel);
            var text = await answer.Content.ReadAsStringAsync(Cancel);
            Assert.True(answer.IsSuccessStatusCode, $"{promQl}: {text}");
            using var document = JsonDocument.Parse(text);
            var series = document.RootElement.GetProperty("data").GetProperty("result").EnumerateArray().ToList();
            Assert.All(series, one => Assert.All(
                QueryNames.LabelsOf(legend),
                label => Assert.True(
                    one.GetProperty("metric").TryGetProperty(label, out _), $"{promQl} has no label {label}: {text}")));
            if (series.Count == 0)
            {
                left.Add((query, legend));
            }
        }

        return left;
    }

    /// <summary>What only a collector beside a database server knows.</summary>
    private sealed class MadeUpDatabase : ITimelineSource
    {
        private readonly long _start = Stopwatch.GetTimestamp();

        public ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken)
        {
            var seconds = Stopwatch.GetElapsedTime(_start).TotalSeconds;
            return ValueTask.FromResult(new TimelineReading
            {
                DatabaseCpuSeconds = seconds / 10, Backlog = 0,
                WaitSeconds = new Dictionary<string, double> { ["IO:WALSync"] = seconds },
            });
        }
    }

    /// <summary>An installed Prometheus in a private directory.</summary>
    private sealed class PrometheusServer : NativeServer
    {
        private const string Kind = "prometheus";
        private const string ProcessIdName = "prometheus.pid";
        private readonly string _program;
        private readonly string _configuration;

        private PrometheusServer(string program, string configuration)
            : base(Kind, program, time: null) => (_program, _configuration) = (program, configuration);

        protected override string ProcessIdFile => ProcessIdName;
        protected override TimeSpan StartTimeout => Eventually.Deadline;
        protected override TimeSpan Pause => TimeSpan.FromMilliseconds(20);
        protected override string PortTaken => "address already in use";

        public static async Task<PrometheusServer> StartAsync(string program, string configuration)
        {
            OwnedDirectory.RemoveAbandoned(Kind, ProcessIdName);
            return await new PrometheusServer(program, configuration).PreparedAsync(server =>
            {
                Directory.CreateDirectory(server.DirectoryPath);
                return server.StartAsync(Cancel);
            });
        }

        protected override Task ConfigureAsync(CancellationToken cancellationToken) =>
            WritePrivateAsync("prometheus.yml", _configuration, cancellationToken);

        /// <summary>It writes no file with its id itself.</summary>
        protected override IReadOnlyList<string> CommandLine() =>
        [
            "/bin/sh", "-c", "echo $$ >\"$0\"; exec \"$@\"", PathOf(ProcessIdName), _program,
            $"--config.file={PathOf("prometheus.yml")}",
            $"--storage.tsdb.path={PathOf("data")}", $"--web.listen-address=127.0.0.1:{Port}", "--log.level=warn",
        ];

        protected override async Task<bool> AnswersAsync(CancellationToken cancellationToken)
        {
            using var http = new HttpClient { Timeout = StartTimeout };
            try
            {
                using var answer = await http.GetAsync($"http://127.0.0.1:{Port}/-/ready", cancellationToken);
                return answer.IsSuccessStatusCode;
            }
            catch (Exception e) when (e is HttpRequestException or SocketException)
            {
                return false; // Not yet; the timeout and the server's exit bound the wait.
            }
        }
    }
}
