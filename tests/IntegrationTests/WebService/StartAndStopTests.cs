using System.Net.Sockets;

namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class StartAndStopTests
{
    private const string Secret = "open-sesame-4711";

    [Fact]
    public async Task Wrong_settings_refuse_the_start_and_are_all_listed()
    {
        var (exitCode, output) = await WebServiceProcess.RunToExitAsync(
            new WebServiceOptions
            {
                Provider = "Postgres",
                Lanes = 1000,
                Settings = new Dictionary<string, string> { ["IntegrationEvents:Transport"] = "pigeon" },
            }, Cancel);

        Assert.Equal(2, exitCode);
        AssertHolds(output, "3 error(s)", "ConnectionStrings__Workflow", "1000", "pigeon");
    }

    [Fact]
    public async Task Missing_server_refuses_the_start_without_the_password()
    {
        var (exitCode, output) = await WebServiceProcess.RunToExitAsync(
            new WebServiceOptions
            {
                Provider = "Postgres",
                ConnectionString = $"Host=127.0.0.1;Port=1;Username=somebody;Password={Secret};Database=somewhere;Timeout=5",
            }, Cancel);

        Assert.Equal(1, exitCode);
        var line = Assert.Single(output.Split(Environment.NewLine));
        AssertHolds(line, "did not start", "127.0.0.1");
        Assert.DoesNotContain(Secret, output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Missing_broker_refuses_the_start_without_the_password()
    {
        var settings = new Dictionary<string, string>
        {
            ["IntegrationEvents:Transport"] = "RabbitMq",
            ["ConnectionStrings:RabbitMq"] = $"amqp://me:{Secret}@127.0.0.1:1/",
        };

        var (exitCode, output) = await WebServiceProcess.RunToExitAsync(
            new WebServiceOptions { Settings = settings }, Cancel);

        Assert.Equal(1, exitCode);
        AssertHolds(
            Assert.Single(output.Split(Environment.NewLine)),
            "did not start",
            "host=127.0.0.1, port=1",
            "Check host and port");
        Assert.DoesNotContain(Secret, output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData($"Host=127.0.0.1;Passwrd={Secret}", "passwrd")]
    [InlineData($"Password={Secret}", "Host")]
    [InlineData($"Host=127.0.0.1;Port=many;Password={Secret}", "connection string")]
    public async Task Refused_connection_string_is_explained_without_password(string connectionString, string named)
    {
        var (exitCode, output) = await WebServiceProcess.RunToExitAsync(
            new WebServiceOptions { Provider = "Postgres", ConnectionString = connectionString }, Cancel);

        Assert.Equal(1, exitCode);
        Assert.Contains(named, Assert.Single(output.Split(Environment.NewLine)), StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain(Secret, output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Address_in_use_refuses_the_start()
    {
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        var options = new WebServiceOptions
        {
            Settings = new Dictionary<string, string>
            {
                ["Kestrel:Endpoints:Http:Url"] = $"http://{other.LocalEndpoint}",
            },
        };

        var (exitCode, output) = await WebServiceProcess.RunToExitAsync(options, Cancel);

        Assert.Equal(1, exitCode);
        AssertHolds(output, "address already in use", "--urls");
    }

    [Fact]
    public async Task Orderly_stop_does_not_wait_for_open_streams()
    {
        await using var service = await WebServiceProcess.StartAsync(new WebServiceOptions(), Cancel);
        await using var inbox = await EventInbox.OpenAsync(service.BaseAddress,
            new EventStreamOptions { MaxFailuresInARow = 1000, LongestPause = TimeSpan.FromMilliseconds(100) }, Cancel);
        var begin = TimeProvider.System.GetTimestamp();

        Assert.Equal(0, await service.StopAsync(Cancel));
        Assert.InRange(TimeProvider.System.GetElapsedTime(begin), TimeSpan.Zero, TimeSpan.FromSeconds(25));
        await Assert.ThrowsAsync<HttpRequestException>(() => service.Client.EnsureReadyAsync(Cancel));

        await service.RestartAsync(Cancel);
        await service.Client.EnsureReadyAsync(Cancel);
    }

    [Fact]
    public async Task Body_over_the_limit_is_refused_and_the_service_serves_on()
    {
        var options = new WebServiceOptions
        {
            Settings = new Dictionary<string, string> { ["Limits:MaxBodyBytes"] = "1024" },
        };
        await using var service = await WebServiceProcess.StartAsync(options, Cancel);
        using var http = new HttpClient { BaseAddress = service.BaseAddress };
        var large = SampleDefinitions.Linear("d", total: new string('x', 1024));

        var error = await Assert.ThrowsAsync<WorkflowApiException>(
            () => service.Client.RegisterDefinitionAsync(large, Cancel));
        try
        {
            using var response = await http.PostAsync("/instances", new string(' ', 64 * 1024), Cancel);
            await Answer.IsProblemAsync(response, 413, "body-too-large", "1024");
        }
        catch (HttpRequestException e)
        {
            // The server does not read on for ever; a client that still sends may find the connection closed before it
            // sees the answer.
            Assert.IsType<IOException>(e.InnerException, exactMatch: false);
        }

        Assert.Equal("body-too-large", error.Code);
        Assert.Contains("1024", error.Detail, StringComparison.Ordinal);
        await service.Client.EnsureReadyAsync(Cancel);
    }
}
