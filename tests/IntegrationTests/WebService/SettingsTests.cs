using Foundation;
using Microsoft.Extensions.Configuration;
using Workflow.Engine.Configuration;
using Workflow.WebService.Configuration;

namespace IntegrationTests.WebService;

public sealed class SettingsTests
{
    [Fact]
    public void Nothing_configured_is_the_memory_store()
    {
        var settings = Read();

        Assert.Equal("Memory", settings.Provider);
        Assert.Equal(("workflow", null, 1L << 20), (settings.Schema, settings.Lanes, settings.MaxBodyBytes));
        Assert.Empty(settings.SignalReceivers);
    }

    [Fact]
    public void Everything_configured_is_read()
    {
        var settings = Read(
            ("WorkflowBackend:Provider", "postgres"),
            ("ConnectionStrings:Workflow", "Host=h;Password=p"),
            ("WorkflowBackend:Schema", "other_1"),
            ("WorkflowBackend:Lanes", "8"),
            ("WorkflowSignalDriver:Provider", "NATIVE"),
            ("IntegrationEvents:Transport", "none"),
            ("SignalReceivers:0", "a"),
            ("SignalReceivers:1", "b"),
            ("Limits:MaxBodyBytes", "2048"),
            ("Hosting:StopWhenInputEnds", "true"));

        Assert.Equal(("Postgres", "Host=h;Password=p", "other_1"),
            (settings.Provider, settings.ConnectionString, settings.Schema));
        Assert.Equal((8, 2048L, true), (settings.Lanes, settings.MaxBodyBytes, settings.StopWhenInputEnds));
        Assert.Equal(["a", "b"], settings.SignalReceivers);
    }

    [Fact]
    public void Receivers_can_be_given_in_one_text() =>
        Assert.Equal(["a", "b"], Read(("SignalReceivers", "a, b,a")).SignalReceivers);

    [Theory]
    [InlineData("WorkflowBackend:Provider", "Firebird", "Memory, Postgres, Oracle, Mongo")]
    [InlineData("WorkflowBackend:Provider", "1", "Memory, Postgres, Oracle, Mongo")]
    [InlineData("WorkflowSignalDriver:Provider", "Rabbit", "Native, Redis")]
    [InlineData("IntegrationEvents:Transport", "pigeon", "None, RabbitMq")]
    [InlineData("WorkflowBackend:Lanes", "0", "1 to 64")]
    [InlineData("WorkflowBackend:Lanes", "two", "1 to 64")]
    [InlineData("WorkflowBackend:Schema", "a;drop", "lower-case")]
    [InlineData("WorkflowCluster:LeaseMilliseconds", "soon", "1 to 60000")]
    [InlineData("WorkflowCluster:Address", "10.0.0.7:5080", "scheme, host and port")]
    [InlineData("WorkflowCluster:Address", "http://10.0.0.7:5080/workflow", "scheme, host and port")]
    [InlineData("Limits:MaxBodyBytes", "12", "1024")]
    [InlineData("Limits:MaxBodiesBytes", "1", "65536")]
    [InlineData("Limits:MaxConnections", "0", "1 to 1000000")]
    [InlineData("Limits:StalledReaderSeconds", "0", "1 to 86400")]
    [InlineData("IntegrationEvents:Definitions", "some", "true or false")]
    [InlineData("Limits:MaxWorkPerCommand", "no", "1000 to 1000000000")]
    [InlineData("Hosting:StopWhenInputEnds", "maybe", "true or false")]
    [InlineData("OpenTelemetry:Endpoint", "grpc://c", "http or https")]
    public void Value_that_is_not_known_is_named_with_those_that_are(string key, string value, string allowed)
    {
        var violation = Assert.Single(Violations((key, value)));

        AssertHolds(violation, key, $"'{value}'", allowed);
    }

    [Fact]
    public void Every_limit_defaults_to_that_of_the_engine()
    {
        var names = typeof(EngineLimits).GetProperties().Select(p => p.Name).ToArray();
        var settings = Read([.. names.Select((name, i) => ($"Limits:{name}", $"{2_000 + i}")),
            ("Limits:MaxWorkPerCommand", "5000"), ("Limits:MaxStepsPerCommand", "7")]);

        Assert.Equal(names.Select((_, i) => 2_000L + i),
            typeof(EngineLimits).GetProperties()
                .Select(p => Convert.ToInt64(p.GetValue(settings.Limits), CultureInfo.InvariantCulture)));
        Assert.Equal((5_000L, 7), (settings.MaxWorkPerCommand, settings.MaxStepsPerCommand));
        Assert.Equal(new EngineLimits(), Read().Limits);
        Assert.All(
            names, name => AssertHolds(Assert.Single(Violations(($"Limits:{name}", "0"))), $"Limits:{name}", "'0'"));
    }

    [Fact]
    public void Every_retention_time_defaults_to_that_of_the_engine()
    {
        var retention = Read(
            ("WorkflowBackend:Provider", "Memory"), ("Retention:EventHours", "3"), ("Retention:KeyHours", "4"),
            ("Retention:DeadLetterHours", "5"), ("Retention:FinishedInstanceHours", "6"),
            ("Retention:PortionRows", "7"),
            ("Retention:PauseMilliseconds", "8")).Retention;

        Assert.Equal(
            new()
            {
                Events = TimeSpan.FromHours(3), Keys = TimeSpan.FromHours(4), DeadLetters = TimeSpan.FromHours(5),
                FinishedInstances = TimeSpan.FromHours(6), Portion = 7, Pause = TimeSpan.FromMilliseconds(8),
            },
            retention);
        Assert.Equal(new RetentionOptions(), Read().Retention);
    }

    [Theory]
    [InlineData("EventHours"), InlineData("KeyHours"), InlineData("DeadLetterHours"),
        InlineData("FinishedInstanceHours")]
    [InlineData("PortionRows"), InlineData("PauseMilliseconds")]
    public void Time_of_the_retention_that_is_out_of_range_is_named(string key) =>
        AssertHolds(
            Assert.Single(Violations(($"Retention:{key}", "-1"))), $"Retention:{key}", "'-1'", "whole number from");

    [Fact]
    public void Retention_of_instances_below_that_of_keys_is_refused() => AssertHolds(
        Assert.Single(Violations(("Retention:FinishedInstanceHours", "2"), ("Retention:KeyHours", "3"))),
        "FinishedInstances", "Keys");

    [Fact]
    public void Residency_defaults_to_that_of_the_engine()
    {
        Assert.Equal(
            new() { IdleTime = TimeSpan.FromSeconds(2), MaxInstances = 3, MaxSize = 4_096 },
            Read(("Residency:IdleSeconds", "2"), ("Residency:MaxInstances", "3"), ("Residency:MaxBytes", "4096"))
                .Residency);
        Assert.Equal(TimeSpan.Zero, Read(("Residency:IdleSeconds", "0")).Residency.IdleTime);
        Assert.Equal(TimeSpan.FromDays(1_000), Read(("Residency:IdleSeconds", "86400000")).Residency.IdleTime);
        Assert.Equal(new ResidencyOptions(), Read().Residency);
    }

    [Fact]
    public void Every_residency_setting_out_of_range_is_named()
    {
        var violations = Violations(
            ("Residency:IdleSeconds", "86400001"), ("Residency:MaxInstances", "0"), ("Residency:MaxBytes", "1023"),
            ("Residency:MaxSize", "1"));

        Assert.Collection(
            violations,
            v => AssertHolds(v, "Residency:MaxSize", "IdleSeconds, MaxInstances, MaxBytes"),
            v => AssertHolds(v, "Residency:IdleSeconds", "'86400001'", "0 to 86400000"),
            v => AssertHolds(v, "Residency:MaxInstances", "'0'", "1 to 1000000000"),
            v => AssertHolds(v, "Residency:MaxBytes", "'1023'", "1024 to 1099511627776"));
    }

    [Fact]
    public void Collector_key_takes_precedence_over_the_standard_variable()
    {
        Assert.Null(Read().Otlp);
        Assert.Null(Read(("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")).Otlp);
        Assert.Equal(
            new(new Uri("http://a:4318"), IsGrpc: false),
            Read(("OpenTelemetry:Endpoint", "http://a:4318"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://b:4318")).Otlp);
        Assert.Equal(
            new(new Uri("https://b:4317"), IsGrpc: true),
            Read(("OTEL_EXPORTER_OTLP_ENDPOINT", "https://b:4317"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")).Otlp);
    }

    [Theory]
    [InlineData("OpenTelemetry:Endpoint", "collector:4318", "'collector:4318'")]
    [InlineData("OpenTelemetry:Endpoint", "/v1/traces", "'/v1/traces'")]
    [InlineData("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/?token=secret-4711", "OTEL_EXPORTER_OTLP_HEADERS")]
    [InlineData("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:secret-4711@c:4318", "OTEL_EXPORTER_OTLP_HEADERS")]
    public void Invalid_collector_is_refused_with_the_remedy(string key, string value, string named)
    {
        var violation = Assert.Single(Violations((key, value)));

        AssertHolds(violation, key, named, "http://127.0.0.1:4318");
        Assert.DoesNotContain("4711", violation, StringComparison.Ordinal);
    }

    [Fact]
    public void Contradictory_cluster_settings_are_named()
    {
        var cluster = Read(("WorkflowCluster:NodeName", "n1"), ("WorkflowCluster:LeaseMilliseconds", "3000"),
            ("WorkflowCluster:InboxMilliseconds", "50")).Cluster;

        Assert.Equal(
            ("n1", TimeSpan.FromSeconds(3), TimeSpan.FromMilliseconds(50)),
            (cluster.NodeName, cluster.Lease, cluster.InboxInterval));
        var violation = Assert.Single(
            Violations(("WorkflowCluster:LeaseMilliseconds", "400"), ("WorkflowCluster:RenewalMilliseconds", "300")));
        AssertHolds(violation, "RenewalInterval", "Lease", "half");
    }

    [Theory]
    [InlineData("http://127.0.0.1:5080", "http://127.0.0.1:5080/")]
    [InlineData("https://node-1:5443 http://node-1:5080", "http://node-1:5080/")]
    [InlineData("http://0.0.0.0:5080 https://[::1]:5443", "https://[::1]:5443/")]
    [InlineData("http://0.0.0.0:5080 http://[::]:5081 http://+:5082 http://*:5083 http://unix:/run/socket", null)]
    public void Address_for_other_nodes_is_one_that_they_can_reach(string urls, string? address) =>
        Assert.Equal(address, ListenAddresses.Reachable(urls.Split(' '))?.AbsoluteUri);

    [Fact]
    public void Published_address_may_differ_from_the_listening_one()
    {
        Assert.Equal(
            ("https://node-1.example/", null),
            (Read(("WorkflowCluster:Address", "https://node-1.example")).NodeAddress?.AbsoluteUri, Read().NodeAddress));
        var violation = Assert.Single(Violations(("WorkflowCluster:Address", "http://me:hidden@10.0.0.7:5080")));
        Assert.DoesNotContain("hidden", violation, StringComparison.Ordinal);
    }

    [Fact]
    public void Broker_of_the_integration_events_is_read()
    {
        var settings = Read(
            ("IntegrationEvents:Transport", "rabbitmq"), ("IntegrationEvents:ExchangePrefix", "mine-"),
            ("ConnectionStrings:RabbitMq", "amqp://me:a%2Fb@broker/orders%2F1"));

        var options = settings.RabbitMq!;
        Assert.Equal(("broker", 5672, "orders/1", "me", "a/b"),
            (options.Target.Host, options.Target.Port, options.Target.VirtualHost, options.Target.User,
                options.Target.Password));
        Assert.Equal("mine-", options.ExchangePrefix);
        Assert.DoesNotContain("a/b", settings.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null, "", "missing")]
    [InlineData("Host=broker;Password=secret-4711", "", "percent-encode")]
    [InlineData("amqps://me:secret-4711@broker/", "", "scheme")]
    [InlineData("amqp://me:secret-4711@broker/", "a b", "hyphens")]
    public void Broker_that_is_named_wrongly_is_refused_without_the_password(
        string? connectionString, string prefix, string named)
    {
        var violation = Assert.Single(Violations(
        [
            ("IntegrationEvents:Transport", "RabbitMq"), ("IntegrationEvents:ExchangePrefix", prefix),
            .. connectionString is null ? [] : new[] { ("ConnectionStrings:RabbitMq", connectionString) },
        ]));

        Assert.Contains(named, violation, StringComparison.Ordinal);
        Assert.DoesNotContain("4711", violation, StringComparison.Ordinal);
    }

    [Fact]
    public void Misspelt_key_is_not_overlooked()
    {
        var violation = Assert.Single(Violations(("WorkflowBackend:Provder", "Postgres")));

        AssertHolds(violation, "WorkflowBackend:Provder", "Provider, Schema, Lanes");
    }

    [Fact]
    public void Every_violation_is_reported_together()
    {
        var violations = Violations(
            ("WorkflowBackend:Provider", "Postgres"), ("WorkflowBackend:Lanes", "-1"),
            ("IntegrationEvents:Transport", "pigeon"));

        Assert.Equal(3, violations.Count);
        Assert.Contains(violations, v => v.Contains("ConnectionStrings:Workflow", StringComparison.Ordinal)
            && v.Contains("ConnectionStrings__Workflow", StringComparison.Ordinal));
    }

    [Fact]
    public void Mongo_connection_string_names_its_database()
    {
        var violations = Violations(
            ("WorkflowBackend:Provider", "mongo"), ("ConnectionStrings:Workflow", "Host=h;Password=s3cret"),
            ("WorkflowBackend:Schema", "other"));

        Assert.Collection(
            violations,
            v => Assert.Contains("mongodb://", v, StringComparison.Ordinal),
            v => Assert.Contains("names instead: leave it out", v, StringComparison.Ordinal));
        Assert.All(violations, v => Assert.DoesNotContain("s3cret", v, StringComparison.Ordinal));
    }

    [Fact]
    public void Oracle_uses_the_schema_of_its_user()
    {
        (string, string)[] oracle =
        [
            ("WorkflowBackend:Provider", "oracle"),
            ("ConnectionStrings:Workflow", "Data Source=h/FREEPDB1;User Id=u;Password=p"),
        ];

        Assert.Equal(("Oracle", oracle[1].Item2), (Read(oracle).Provider, Read(oracle).ConnectionString));
        Assert.Contains(
            "that of the user", Assert.Single(Violations([.. oracle, ("WorkflowBackend:Schema", "other")])),
            StringComparison.Ordinal);
        Assert.Contains("User Id=", Assert.Single(Violations(oracle[0])), StringComparison.Ordinal);
    }

    [Fact]
    public void Native_notifications_belong_to_their_store()
    {
        Assert.Equal(["Postgres", "Oracle", "Mongo"],
            new[] { "Postgres", "Oracle", "Mongo" }.Select(s => Adapters.Notifier("Native", s)?.Store));
        Assert.Null(Adapters.Notifier("Native", "Memory"));
        Assert.Equal("Redis", Adapters.Notifier("Redis", "Postgres")?.Provider);
    }

    [Fact]
    public void Malformed_connection_string_is_refused_but_not_repeated()
    {
        var violation = Assert.Single(
            Violations(("WorkflowBackend:Provider", "Postgres"),
                ("ConnectionStrings:Workflow", "postgres://me:secret-4711@host/db")));

        Assert.Contains("ConnectionStrings:Workflow", violation, StringComparison.Ordinal);
        Assert.DoesNotContain("4711", violation, StringComparison.Ordinal);
    }

    [Fact]
    public void Redis_needs_a_shared_store()
    {
        var settings = Read(
            ("WorkflowBackend:Provider", "Postgres"),
            ("ConnectionStrings:Workflow", "Host=h"),
            ("WorkflowSignalDriver:Provider", "redis"),
            ("WorkflowSignalDriver:ChannelPrefix", "other"),
            ("ConnectionStrings:Redis", "127.0.0.1:6379,password=p"));
        var alone = Assert.Single(
            Violations(("WorkflowSignalDriver:Provider", "Redis"), ("ConnectionStrings:Redis", "127.0.0.1:6379")));

        Assert.Equal(
            ("127.0.0.1:6379,password=p", "other"), (settings.SignalDriverConnectionString, settings.ChannelPrefix));
        Assert.Null(Read(("ConnectionStrings:Redis", "127.0.0.1:6379")).SignalDriverConnectionString);
        Assert.Contains("nobody to wake", alone, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null, "is missing")]
    [InlineData("bogus=secret-4711", "is not a StackExchange.Redis connection string")]
    [InlineData("password=secret-4711", "names no server")]
    public void Bad_Redis_connection_string_is_refused_but_not_repeated(string? text, string reason)
    {
        (string, string)[] redis = text is null ? [] : [("ConnectionStrings:Redis", text)];
        var violation = Assert.Single(Violations(
            [
                ("WorkflowBackend:Provider", "Postgres"), ("ConnectionStrings:Workflow", "Host=h"),
                ("WorkflowSignalDriver:Provider", "Redis"), .. redis,
            ]));

        AssertHolds(violation, "ConnectionStrings:Redis " + reason, "ConnectionStrings__Redis=");
        Assert.DoesNotContain("4711", violation, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("urls", "http://0.0.0.0:5080", true)]
    [InlineData("urls", "http://127.0.0.1:1;https://*:443", true)]
    [InlineData("urls", "http://+:80", true)]
    [InlineData("urls", "http://[::]:80", true)]
    [InlineData("urls", "http://localhost.example.com:80", true)]
    [InlineData("urls", "http://[::1]example:80", true)]
    [InlineData("urls", "127.0.0.1:80", true)]
    [InlineData("http_ports", "8080", true)]
    [InlineData("Kestrel:Endpoints:Api:Url", "http://192.168.0.2:80", true)]
    [InlineData("urls", "http://127.0.0.1:0;http://[::1]:80/;http://LocalHost:1", false)]
    [InlineData("urls", "http://unix:/run/workflow.sock", false)]
    public void Address_that_other_machines_reach_needs_a_key(string key, string value, bool needed)
    {
        (string, string)[] address = [(key, value)];
        if (needed)
        {
            AssertHolds(Assert.Single(Violations(address)), value.Split(';')[^1], "Access__Keys__0");
        }

        Assert.Equal(
            needed, Read([.. address, .. needed ? new[] { ("Access:Keys:0", "4711") } : []]).AccessKeys.AreRequired);
    }

    [Theory]
    [InlineData("two words-4711")]
    [InlineData("read:")]
    [InlineData("sha256:4711")]
    [InlineData("schlüssel-4711")]
    public void Invalid_key_is_refused_but_not_repeated(string entry)
    {
        var violation = Assert.Single(Violations(("Access:Keys:0", entry)));

        AssertHolds(violation, "Access:Keys:0", "64 hexadecimal digits");
        Assert.DoesNotContain("4711", violation, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http://host")]
    [InlineData("host:port")]
    [InlineData("10.0.0.0/8")]
    public void Invalid_host_of_the_http_activity_is_refused(string entry) =>
        AssertHolds(Assert.Single(Violations(("Activities:Http:Allow:0", entry))), entry, "host:port");

    private static ServiceSettings Read(params (string Key, string Value)[] settings) =>
        ServiceSettingsReader.Read(
            new ConfigurationBuilder()
                .AddInMemoryCollection(settings.Select(s => KeyValuePair.Create(s.Key, (string?)s.Value))).Build());

    private static IReadOnlyList<string> Violations(params (string Key, string Value)[] settings) =>
        Assert.Throws<InvalidSettingsException>(() => Read(settings)).Violations;
}
