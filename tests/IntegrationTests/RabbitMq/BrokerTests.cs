using Workflow.Abstractions.Exceptions;
using Workflow.Events.MassTransit;

namespace IntegrationTests.RabbitMq;

/// <summary>Servers of our own, and servers that are named wrongly.</summary>
[Trait("Category", "Extended")]
public sealed class BrokerTests(BackendFixture backends)
{
    private const string Secret = "open-sesame-4711";
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(1);

    [Fact]
    public async Task Broker_says_its_version_and_how_events_are_kept()
    {
        var broker = await SharedAsync();

        var settings = await broker.ReadSettingsAsync(Cancel);

        Assert.Matches(@"^\d+\.\d+", settings.Version);
        Assert.Equal(
            ("durable", "persistent", "on"),
            (settings.Durability, settings.Settings["messages"], settings.Settings["publisher confirms"]));
        var log = await broker.Host.ReadLogTailAsync(Cancel);
        Assert.DoesNotContain(
            broker.Target.Password, $"{broker.Description} {broker.Target} {log}", StringComparison.Ordinal);
    }

    [Fact]
    public async Task Broker_that_is_disposed_leaves_neither_process_nor_directory()
    {
        await SharedAsync();
        var broker = await OwnAsync();
        var (id, mapper) = (broker.Host.ProcessId!.Value, broker.MapperId!.Value);

        await broker.DisposeAsync();

        Assert.False(Directory.Exists(broker.Host.DirectoryPath));
        Assert.All([id, mapper], process => Assert.False(OwningProcess.IsAlive(process)));
    }

    [Fact]
    public async Task Broker_of_a_killed_test_process_is_removed()
    {
        await SharedAsync();
        Assert.SkipWhen(
            RabbitMqNative.FindProgram() is null, $"No rabbitmq-server was found in {RabbitMqNative.Places}.");
        using var owner = await OwningProcess.StartAsync(ServerForAnotherProcess.BrokerVariable, lines: 3, Cancel);
        var directory = owner.Note[0];
        int[] processes = [.. owner.Note.Skip(1).Select(id => int.Parse(id, CultureInfo.InvariantCulture))];
        Assert.All(processes, id => Assert.True(OwningProcess.IsAlive(id)));

        await owner.KillAsync(Cancel);

        await Eventually.HoldsAsync(() => !processes.Any(OwningProcess.IsAlive) && !Directory.Exists(directory),
            $"broker {string.Join(", ", processes)} and '{directory}' to go");
    }

    [Theory]
    [InlineData("guest:" + Secret, "/", "refuses user 'guest'")]
    [InlineData(null, "/nowhere", "virtual host 'nowhere'")]
    public async Task Refused_broker_account_is_named_without_the_password(string? account, string path, string named)
    {
        var target = (await SharedAsync()).Target;

        var message = await RefusalAsync(
            $"amqp://{account ?? $"{target.User}:{target.Password}"}@{target.Host}:{target.Port}{path}");

        Assert.Contains(named, message, StringComparison.Ordinal);
        Assert.All(
            [Secret, target.Password], secret => Assert.DoesNotContain(secret, message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("amqp://me:" + Secret + "@127.0.0.1:1/", "Check host and port")]
    [InlineData("amqps://me:" + Secret + "@127.0.0.1/", "scheme")]
    [InlineData("amqp://me:" + Secret + "@127.0.0.1/a/b", "%2F")]
    [InlineData("Host=127.0.0.1;Password=" + Secret, "URI")]
    public async Task Bad_connection_string_is_explained_without_the_password(string connectionString, string named)
    {
        var message = await RefusalAsync(connectionString);

        AssertHolds(message, named, "WORKFLOW_PERF_RABBITMQ");
        Assert.DoesNotContain(Secret, message, StringComparison.Ordinal);
    }

    [Fact]
    [JudgesRealTime]
    public Task Hung_broker_is_reported_in_time_and_recovers() => RealTime.HoldsAsync(async () =>
    {
        await SharedAsync();
        await using var broker = await OwnAsync();
        await broker.Host.PauseAsync(Cancel);

        var message = await RefusalAsync(broker.ConnectionString);
        await broker.Host.ContinueAsync(Cancel);

        Assert.Contains("did not answer", message, StringComparison.Ordinal);
        Assert.Equal(SettingsReadBack.Durable, (await broker.ReadSettingsAsync(Cancel)).Durability);
    });

    [Fact]
    public async Task Unconfirmed_event_is_given_up_in_time()
    {
        await SharedAsync();
        await using var broker = await OwnAsync();
        await using var bus = await RabbitMqEventBus.StartAsync(
            new() { Target = broker.Target, PublishTimeout = TimeSpan.FromSeconds(1) }, Cancel);
        await UntilConfirmedAsync(bus, "before");
        await broker.Host.PauseAsync(Cancel);

        var since = Stopwatch.GetTimestamp();
        var failure = await Assert.ThrowsAsync<EventTransportException>(
            () => bus.Publisher.PublishAsync(Event("meanwhile"), Cancel));
        Assert.InRange(Stopwatch.GetElapsedTime(since), TimeSpan.FromSeconds(0.9), Limit);
        await broker.Host.ContinueAsync(Cancel);

        Assert.Contains("not confirmed event meanwhile within 1 s", failure.Message, StringComparison.Ordinal);
        await UntilConfirmedAsync(bus, "meanwhile");
    }

    /// <summary>Publishes an event again if a busy machine did not confirm it in time.</summary>
    private static Task UntilConfirmedAsync(RabbitMqEventBus bus, string id) => Eventually.BecomesAsync(
        async () =>
        {
            try
            {
                await bus.Publisher.PublishAsync(Event(id), Cancel);
                return "";
            }
            catch (EventTransportException exception)
            {
                return exception.Message;
            }
        },
        failure => failure.Length == 0,
        failure => $"a confirmation; {failure}");

    private static SignalReceived Event(string id) => new()
    {
        Id = id,
        CorrelationKey = id,
        Name = id,
        Timestamps =
            new()
            {
                AcceptedUtc = default, ExecutedUtc = default, AcceptedTicks = 0, ExecutedTicks = 0,
                TicksPerSecond = 1, BootId = "",
            },
    };

    private static async Task<string> RefusalAsync(string connectionString)
    {
        var since = Stopwatch.GetTimestamp();
        var refusal = await Assert.ThrowsAsync<BackendException>(() =>
            RabbitMqServer.ConnectAsync(connectionString, "WORKFLOW_PERF_RABBITMQ", Cancel));
        Assert.InRange(Stopwatch.GetElapsedTime(since), TimeSpan.Zero, Limit);
        return refusal.Message;
    }

    /// <summary>A broker that the test may stop.</summary>
    internal static async Task<RabbitMqServer> OwnAsync()
    {
        var program = RabbitMqNative.FindProgram();
        Assert.SkipWhen(
            program is null,
            $"No rabbitmq-server was found in {RabbitMqNative.Places} to start one that may be stopped.");
        return await RabbitMqServer.StartNativeAsync(program, cancellationToken: Cancel);
    }

    private async Task<RabbitMqServer> SharedAsync() =>
        (RabbitMqServer)await backends.Catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, Cancel);
}
