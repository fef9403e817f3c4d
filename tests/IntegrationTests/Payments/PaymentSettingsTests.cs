using Foundation;
using Microsoft.Extensions.Configuration;

namespace IntegrationTests.Payments;

public sealed class PaymentSettingsTests
{
    [Fact]
    public void Nothing_configured_is_memory_and_no_delay()
    {
        var settings = Read();

        Assert.Equal(
            (null, "payments", 16, 64),
            (settings.ConnectionString, settings.Schema, settings.Connections, settings.ConcurrentMessages));
        Assert.Equal((TimeSpan.Zero, TimeSpan.Zero, 1),
            (settings.SettledMinDelay, settings.SettledMaxDelay, settings.SettledSeed));
        Assert.Equal((TimeSpan.FromSeconds(30), false), (settings.RepeatAfter, settings.StopWhenInputEnds));
        Assert.Equal(["EUR", "GBP", "USD"], settings.Currencies);
    }

    [Fact]
    public void Everything_configured_is_read()
    {
        var settings = Read(
            ("PaymentStore:Provider", "postgres"),
            ("ConnectionStrings:Payments", "Host=h;Password=p"),
            ("PaymentStore:Schema", "other_1"),
            ("PaymentStore:Connections", "3"),
            ("Transport:Provider", "inmemory"),
            ("Consumers:ConcurrentMessages", "8"),
            ("Consumers:PaymentSettled:MinDelay", "5s"),
            ("Consumers:PaymentSettled:MaxDelay", "9000ms"),
            ("Consumers:PaymentSettled:Seed", "7"),
            ("Recovery:RepeatAfter", "2m"),
            ("Hosting:StopWhenInputEnds", "True"),
            ("Currencies", "GBP, CHF"));

        Assert.Equal(("Host=h;Password=p", "other_1", 3, 8),
            (settings.ConnectionString, settings.Schema, settings.Connections, settings.ConcurrentMessages));
        Assert.Equal((TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(9), 7),
            (settings.SettledMinDelay, settings.SettledMaxDelay, settings.SettledSeed));
        Assert.Equal((TimeSpan.FromMinutes(2), true), (settings.RepeatAfter, settings.StopWhenInputEnds));
        Assert.Equal(["GBP", "CHF"], settings.Currencies);
    }

    [Theory]
    [InlineData("PaymentStore:Provider", "Oracle", "Memory, Postgres")]
    [InlineData("PaymentStore:Schema", "a;drop", "lower-case")]
    [InlineData("PaymentStore:Connections", "0", "1 to 1000")]
    [InlineData("Transport:Provider", "pigeon", "InMemory, RabbitMq")]
    [InlineData("Transport:Prefix", "a b", "hyphens")]
    [InlineData("Consumers:ConcurrentMessages", "many", "1 to 10000")]
    [InlineData("Consumers:PaymentSettled:MinDelay", "5", "500ms")]
    [InlineData("Recovery:RepeatAfter", "soon", "500ms")]
    [InlineData("Recovery:RepeatAfter", "0s", "10ms to 1440m")]
    [InlineData("Recovery:RepeatAfter", "9ms", "10ms to 1440m")]
    [InlineData("Recovery:RepeatAfter", "1441m", "10ms to 1440m")]
    [InlineData("Hosting:StopWhenInputEnds", "maybe", "true")]
    [InlineData("Currencies", "pound", "ISO 4217")]
    public void Value_that_is_not_known_is_named_with_what_is_allowed(string key, string value, string allowed)
    {
        var violation = Assert.Single(Violations((key, value)));

        AssertHolds(violation, key, $"'{value}'", allowed);
    }

    [Theory]
    [InlineData("10ms", 0.01), InlineData("1440m", 86_400.0)]
    public void Bounds_of_the_repeat_time_are_read(string value, double seconds) =>
        Assert.Equal(TimeSpan.FromSeconds(seconds), Read(("Recovery:RepeatAfter", value)).RepeatAfter);

    [Theory]
    [InlineData("PaymentStore:Provder", "Provider, Schema, Connections")]
    [InlineData("Consumers:PaymentSettled:Delay", "MinDelay, MaxDelay, Seed")]
    public void Misspelt_key_is_not_overlooked(string key, string known)
    {
        var violation = Assert.Single(Violations((key, "x")));

        AssertHolds(violation, key, known);
    }

    [Fact]
    public void Contradictory_delays_are_reported_with_both_values()
    {
        var exchanged = Assert.Single(
            Violations(("Consumers:PaymentSettled:MinDelay", "9s"), ("Consumers:PaymentSettled:MaxDelay", "5s")));
        var tooLong =
            Assert.Single(Violations(("Consumers:PaymentSettled:MaxDelay", "9s"), ("Recovery:RepeatAfter", "5s")));

        AssertHolds(exchanged, "MinDelay 9000ms", "MaxDelay 5000ms");
        AssertHolds(tooLong, "RepeatAfter 5000ms", "MaxDelay 9000ms");
    }

    [Theory]
    [InlineData(null, "is missing")]
    [InlineData("Host=broker;Password=secret-4711", "not an amqp URI")]
    public void Bad_broker_connection_string_is_not_repeated(string? connectionString, string named)
    {
        var violation = Assert.Single(Violations(
        [
            ("Transport:Provider", "rabbitmq"),
            .. connectionString is null ? [] : new[] { ("ConnectionStrings:RabbitMq", connectionString) },
        ]));

        AssertHolds(violation, named, "ConnectionStrings__RabbitMq");
        Assert.DoesNotContain("4711", violation, StringComparison.Ordinal);
    }

    [Fact]
    public void All_violations_are_reported_together_without_secrets()
    {
        var violations = Violations(
            ("PaymentStore:Provider", "Postgres"), ("ConnectionStrings:Payments", "postgres://me:secret-4711@host/db"),
            ("PaymentStore:Connections", "-1"));

        Assert.Equal(2, violations.Count);
        Assert.Contains(violations, v => v.Contains("ConnectionStrings:Payments", StringComparison.Ordinal));
        Assert.DoesNotContain(violations, v => v.Contains("4711", StringComparison.Ordinal));
    }

    private static PaymentSettings Read(params (string Key, string Value)[] settings) =>
        PaymentSettingsReader.Read(
            new ConfigurationBuilder()
                .AddInMemoryCollection(settings.Select(s => KeyValuePair.Create(s.Key, (string?)s.Value))).Build());

    private static IReadOnlyList<string> Violations(params (string Key, string Value)[] settings) =>
        Assert.Throws<InvalidSettingsException>(() => Read(settings)).Violations;
}
