using PerformanceTesting.Measurement;
using PerformanceTesting.Subjects;

namespace UnitTests.PerformanceTesting;

/// <summary>A mistyped size or duration must not quietly run something else.</summary>
public sealed class MeasurementVariablesTests
{
    [Fact]
    public void Nothing_set_is_the_seeds_size_and_no_duration()
    {
        var variables = Read(null, null);

        Assert.Equal((ScenarioSize.Seed, null), (variables.Size, variables.Duration));
    }

    [Theory]
    [InlineData("seed", ScenarioSize.Seed)]
    [InlineData(" XL ", ScenarioSize.Xl)]
    [InlineData("", ScenarioSize.Seed)]
    public void Sizes_are_read(string value, ScenarioSize expected) => Assert.Equal(expected, Read(value, null).Size);

    [Theory]
    [InlineData(null, EventTransport.OfHosting)]
    [InlineData("memory", EventTransport.OfHosting)]
    [InlineData(" RabbitMQ ", EventTransport.RabbitMq)]
    public void Transports_are_read(string? value, EventTransport expected) =>
        Assert.Equal(
            expected,
            MeasurementVariables.FromEnvironment(
                name => name == MeasurementVariables.TransportName ? value : null).Transport);

    [Fact]
    public void Unknown_transport_is_refused_with_the_two_known()
    {
        var error = Assert.Throws<ArgumentException>(() =>
            MeasurementVariables.FromEnvironment(name => name == MeasurementVariables.TransportName ? "kafka" : null));

        Assert.Contains("WORKFLOW_PERF_TRANSPORT is 'kafka'. It is 'memory'", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("90s", 90)]
    [InlineData("999999h", 3_599_996_400)]
    public void Durations_are_read(string value, long seconds) =>
        Assert.Equal(TimeSpan.FromSeconds(seconds), Read(null, value).Duration);

    [Theory]
    [InlineData("forever"), InlineData("0s")]
    public void Invalid_duration_is_refused_with_value_and_examples(string value)
    {
        var error = Assert.Throws<ArgumentException>(() => Read(null, value));

        AssertHolds(error.Message, $"WORKFLOW_PERF_DURATION is '{value}'", "90s, 10m or 1h");
    }

    [Fact]
    public void Unknown_size_is_refused_together_with_other_errors()
    {
        var error = Assert.Throws<ArgumentException>(() => Read("huge", "soon"));

        AssertHolds(error.Message, "WORKFLOW_PERF_SIZE is 'huge'. It is 'seed' (the default) or 'xl'.",
            "WORKFLOW_PERF_DURATION is 'soon'");
    }

    [Theory]
    [InlineData("delay:+10%", "delay:+10%")]
    [InlineData("Delay:+5%", "delay:+5%")]
    [InlineData("commit", "commit")]
    [InlineData("QUERY", "query")]
    [InlineData("lost", "lost")]
    public void Injections_are_read(string value, string expected) =>
        Assert.Equal(expected, Read(null, null, inject: value).Injection?.Name);

    [Theory]
    [InlineData("delay"), InlineData("delay:10%"), InlineData("delay:+0%"), InlineData("slow"), InlineData("7")]
    public void Unknown_injection_is_refused_with_the_known_ones(string value)
    {
        var error = Assert.Throws<ArgumentException>(() => Read(null, null, inject: value));

        AssertHolds(error.Message, $"WORKFLOW_PERF_INJECT is '{value}'", "delay:+10%");
    }

    [Theory]
    [InlineData(null, true)]
    [InlineData("all", true)]
    [InlineData("Prompt", false)]
    public void Late_counters_are_waited_for_by_default(string? value, bool expected) =>
        Assert.Equal(expected, Read(null, null, counters: value).WaitsForCounters);

    [Theory]
    [InlineData(null), InlineData("builtin"), InlineData(" BuiltIn ")]
    public void Built_in_load_engine_is_the_default(string? value) =>
        Assert.Null(Read(null, null, loadEngine: value).LoadEngine);

    [Fact]
    public void NBomber_needs_a_build_on_the_full_feed()
    {
        // No build can be both, so the assertion depends on the build.
        if (LoadEngines.HasNBomber)
        {
            Assert.Equal("nbomber", Read(null, null, loadEngine: "nbomber").LoadEngine!("reports").Name);
            return;
        }

        var error = Assert.Throws<ArgumentException>(() => Read(null, null, loadEngine: "nbomber"));

        Assert.Contains(
            "WORKFLOW_PERF_LOAD_ENGINE is 'nbomber', and this build has no NBomber: build and run with -p:NBomber=true",
            error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Unknown_load_engine_is_refused_with_the_known_ones() => Assert.Contains(
        "WORKFLOW_PERF_LOAD_ENGINE is 'k6'. It is 'builtin' (the default) or 'nbomber'",
        Assert.Throws<ArgumentException>(() => Read(null, null, loadEngine: "k6")).Message,
        StringComparison.Ordinal);

    [Fact]
    public void Counters_that_are_none_are_refused() =>
        Assert.Contains("'all' (the default) or 'prompt'",
            Assert.Throws<ArgumentException>(() => Read(null, null, counters: "some")).Message,
            StringComparison.Ordinal);

    [Fact]
    public void Event_streams_have_the_published_numbers()
    {
        var (published, asked) = (Read(null, null), Streams("15000", "600000", "40000", "7", "0"));

        Assert.Equal((1_000, 30.0, 4_000, 5, 100.0), (published.SseClients, published.SseDuration.TotalSeconds,
            published.SseDeliveriesPerSecond, published.AdminUsers, published.AdminDelay.TotalMilliseconds));
        Assert.Equal((15_000, 600.0, 40_000, 7, 0.0), (asked.SseClients, asked.SseDuration.TotalSeconds,
            asked.SseDeliveriesPerSecond, asked.AdminUsers, asked.AdminDelay.TotalMilliseconds));
    }

    [Fact]
    public void Numbers_of_event_streams_that_are_none_are_refused_together()
    {
        var error = Assert.Throws<ArgumentException>(() => Streams("0", "2m", "-1", "many", "60001"));

        AssertHolds(
            error.Message,
            "WORKFLOW_PERF_SSE_CLIENTS is '0'. It is a whole number from 1 to 1000000; 1000 where it is not set.",
            "WORKFLOW_PERF_SSE_DURATION_MS is '2m'", "WORKFLOW_PERF_SSE_RATE is '-1'",
            "WORKFLOW_PERF_ADMIN_USERS is 'many'",
            "WORKFLOW_PERF_ADMIN_DELAY_MS is '60001'");
    }

    private static MeasurementVariables Streams(
        string clients, string duration, string rate, string users, string delay) =>
        MeasurementVariables.FromEnvironment(name => name switch
        {
            MeasurementVariables.SseClientsName => clients,
            MeasurementVariables.SseDurationName => duration,
            MeasurementVariables.SseRateName => rate,
            MeasurementVariables.AdminUsersName => users,
            MeasurementVariables.AdminDelayName => delay,
            _ => null,
        });

    [Fact]
    public void LoadStep_is_read_like_a_duration_and_has_a_default()
    {
        Assert.Equal(TimeSpan.FromSeconds(5), Read(null, null).LoadStep);
        Assert.Equal(TimeSpan.FromSeconds(30), Read(null, null, loadStep: "30s").LoadStep);
        Assert.Contains("WORKFLOW_PERF_RUNG is 'long'",
            Assert.Throws<ArgumentException>(() => Read(null, null, loadStep: "long")).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Figures_of_a_load_are_exported_only_on_request()
    {
        Assert.Equal(new MetricsTargets(), ReadMetrics());
        Assert.Equal(new MetricsTargets(), ReadMetrics(("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")));
        Assert.Equal(
            new MetricsTargets { Otlp = new Uri("http://a:4318"), Port = 9464 },
            ReadMetrics(
                ("WORKFLOW_PERF_OTLP", " http://a:4318 "), ("OTEL_EXPORTER_OTLP_ENDPOINT", "b"),
                ("WORKFLOW_PERF_METRICS_PORT", "9464")));
        Assert.Equal(
            new MetricsTargets { Otlp = new Uri("https://b:4317"), IsGrpc = true },
            ReadMetrics(("OTEL_EXPORTER_OTLP_ENDPOINT", "https://b:4317"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")));
    }

    [Theory]
    [InlineData("WORKFLOW_PERF_METRICS_PORT", "0", "is '0'. It is a free port")]
    [InlineData("WORKFLOW_PERF_METRICS_PORT", "65536", "is '65536'. It is a free port")]
    [InlineData("WORKFLOW_PERF_METRICS_PORT", "on", "is 'on'. It is a free port")]
    [InlineData("WORKFLOW_PERF_OTLP", "collector:4318", "is 'collector:4318'. It is the http or https address")]
    [InlineData("OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://a", "is 'ftp://a'. It is the http or https address")]
    [InlineData("WORKFLOW_PERF_OTLP", "http://me:secret-4711@a:4318", "is not shown, as it may hold a secret")]
    [InlineData("WORKFLOW_PERF_OTLP", "http://a:4318/?token=secret-4711", "OTEL_EXPORTER_OTLP_HEADERS")]
    public void Invalid_metrics_target_is_refused_with_its_variable(string name, string value, string expected)
    {
        var error = Assert.Throws<ArgumentException>(() => ReadMetrics((name, value)));

        AssertHolds(error.Message, name, expected);
        Assert.DoesNotContain("secret-4711", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Invalid_export_protocol_is_refused() => Assert.Contains(
        "OTEL_EXPORTER_OTLP_PROTOCOL is 'http/json'. It is 'http/protobuf' (the default) or 'grpc'",
        Assert.Throws<ArgumentException>(() =>
            ReadMetrics(("WORKFLOW_PERF_OTLP", "http://a:4318"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"))).Message,
        StringComparison.Ordinal);

    [Theory]
    [InlineData(null, false), InlineData("0", false), InlineData("1", true)]
    public void Unfinished_soak_is_continued_only_if_requested(string? value, bool expected) => Assert.Equal(
        expected, MeasurementVariables.FromEnvironment(name => name == SoakJournal.ResumeName ? value : null).Resumes);

    [Fact]
    public void Resumption_that_is_neither_yes_nor_no_is_refused() => Assert.Contains(
        "WORKFLOW_PERF_RESUME is 'yes'. It is 1",
        Assert.Throws<ArgumentException>(() =>
            MeasurementVariables.FromEnvironment(name => name == SoakJournal.ResumeName ? "yes" : null)).Message,
        StringComparison.Ordinal);

    private static MetricsTargets ReadMetrics(params (string Name, string Value)[] variables) =>
        MeasurementVariables.FromEnvironment(
            name => variables.FirstOrDefault(variable => variable.Name == name).Value).Metrics;

    private static MeasurementVariables Read(
        string? size, string? duration, string? inject = null, string? counters = null,
        string? loadStep = null, string? loadEngine = null) =>
        MeasurementVariables.FromEnvironment(injections: global::IntegrationTests.Shared.Faults.Injection.Parse, read: name => name switch
    {
        MeasurementVariables.SizeName => size,
        MeasurementVariables.DurationName => duration,
        MeasurementVariables.InjectName => inject,
        MeasurementVariables.CountersName => counters,
        MeasurementVariables.LoadStepName => loadStep,
        MeasurementVariables.LoadEngineName => loadEngine,
        MeasurementVariables.TransportName or MeasurementVariables.SseClientsName
            or MeasurementVariables.SseDurationName
            or MeasurementVariables.SseRateName or MeasurementVariables.AdminUsersName
            or MeasurementVariables.AdminDelayName => null,
        MetricsTargets.OtlpName or MetricsTargets.PortName or SoakJournal.ResumeName => null,
        "OTEL_EXPORTER_OTLP_ENDPOINT" or "OTEL_EXPORTER_OTLP_PROTOCOL" => null,
        _ => throw new ArgumentException($"{name} is not asked for."),
    });
}
