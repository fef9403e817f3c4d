using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Containers;
using PerformanceTesting.Backends.Containers.Testcontainers;
using PerformanceTesting.Backends.PostgreSql;
using PerformanceTesting.Processes;

namespace IntegrationTests.Containers;

/// <summary>
/// The adapter on Testcontainers, or on a stand-in that asks the same Docker Engine for the same; skipped where no engine has the image. No
/// test leaves a container behind: asserted after each.
/// </summary>
[Trait("Category", "Integration")]
public sealed class TestcontainersEngineTests : IAsyncLifetime
{
    private const int Port = 5432;

    private DockerEngine? _docker;
    private string? _image;

    private DockerEngine Docker => _docker ?? throw new InvalidOperationException("The test has not been initialised.");

    [Fact]
    public async Task Container_is_started_as_the_request_says_and_is_gone_when_it_is_disposed_of()
    {
        var request = Request("sleep", "600") with { MemoryDirectories = new Dictionary<string, long> { ["/data"] = 1_048_576 } };
        string id;
        await using (var container = await Engine().StartAsync(request, Cancel))
        {
            id = container.Id;
            var seen = await InspectAsync(id);
            var (config, host) = (seen.GetProperty("Config"), seen.GetProperty("HostConfig"));
            var port = host.GetProperty("PortBindings").GetProperty($"{Port}/tcp")[0];
            var inside = await container.ExecuteAsync(["sh", "-c", "echo $POSTGRES_PASSWORD; df -k --output=size /data /dev/shm"], Cancel);

            Assert.Equal((_image, $"/{container.Name}"), (config.GetProperty("Image").GetString(), seen.GetProperty("Name").GetString()));
            Assert.Equal(["sleep", "600"], config.GetProperty("Cmd").EnumerateArray().Select(argument => argument.GetString()));
            Assert.Equal((Docker.PublishedAddress, $"{container.PortOf(Port)}"),
                (port.GetProperty("HostIp").GetString(), port.GetProperty("HostPort").GetString()));
            Assert.Equal(["secret", "1K-blocks", "1024", "262144"], inside.Output.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
            Assert.True((await container.ReadStateAsync(Cancel)).IsRunning);
            Assert.Equal([id], await Docker.ListOwnAsync(Cancel));
        }

        Assert.False(await Docker.HasContainerAsync(id, Cancel));
    }

    [Fact]
    public async Task Port_that_somebody_else_took_is_chosen_again()
    {
        using var taken = Take();
        var ports = new Queue<int>([PortOf(taken), PortOf(taken)]);

        await using var container = await Engine(() => ports.Count > 0 ? ports.Dequeue() : LoopbackPort.Free())
            .StartAsync(Request("sleep", "600"), Cancel);

        Assert.NotEqual(PortOf(taken), container.PortOf(Port));
        Assert.Empty(ports);
        Assert.Single(await Docker.ListOwnAsync(Cancel));
    }

    [Fact]
    public async Task Port_that_stays_taken_is_reported_after_three_attempts()
    {
        using var taken = Take();
        var asked = 0;

        var error = await Assert.ThrowsAsync<BackendException>(() => Engine(() =>
        {
            asked++;
            return PortOf(taken);
        }).StartAsync(Request("sleep", "600"), Cancel));

        Assert.StartsWith($"Testcontainers could not start {_image}: ", error.Message, StringComparison.Ordinal);
        Assert.Equal((3, true), (asked, DockerEngine.IsPortTaken(error.Message)));
    }

    [Fact]
    public async Task Image_that_is_missing_is_named_and_not_pulled()
    {
        const string Missing = "workflow-perf/nobody-made-this:1";

        var error = await Assert.ThrowsAsync<BackendException>(() => Engine().StartAsync(Request() with { Image = Missing }, Cancel));

        Assert.StartsWith($"Testcontainers could not start {Missing}: ", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", error.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(7, "the last word", "sh", "-c", "echo the last word; exit 7")]
    [InlineData(127, "no-such-program", "no-such-program")]
    public async Task Container_that_ends_at_once_is_reported_with_its_code_and_log(int code, string word, params string[] command)
    {
        var words = await EndOfAsync(command);

        Assert.Contains($"exited with code {code}", words, StringComparison.Ordinal);
        Assert.Contains(word, words, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Start_that_is_cancelled_leaves_nothing(bool isUnderWay)
    {
        using var cancelled = new CancellationTokenSource();
        if (!isUnderWay)
        {
            await cancelled.CancelAsync();
        }

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Engine(() =>
        {
            cancelled.Cancel();
            return LoopbackPort.Free();
        }).StartAsync(Request("sleep", "600"), cancelled.Token));

        Assert.Empty(await Docker.ListOwnAsync(Cancel));
    }

    public async ValueTask InitializeAsync()
    {
        var refusal = "";
        try
        {
            _docker = await DockerEngine.ConnectAsync(DockerEndpoint.FromVariables(), Cancel);
            (_image, refusal) = await Docker.FindImageAsync(new PostgresProvider().Image!, mayTakeMinutes: false, Cancel);
        }
        catch (BackendException exception)
        {
            refusal = exception.Message;
        }

        if (_image is null)
        {
            Refuse(refusal!);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_docker is not null)
        {
            var left = await _docker.ListOwnAsync(CancellationToken.None);
            _docker.Dispose();
            Assert.Empty(left);
        }
    }

    [DoesNotReturn]
    private static void Refuse(string reason)
    {
        Assert.SkipUnless(BackendVariables.FromEnvironment().RequireContainers, reason);
        throw new BackendException($"{BackendVariables.RequireName} demands {BackendVariables.ContainersRequirement}, but {reason}");
    }

    private static TcpListener Take()
    {
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return listener;
    }

    private static int PortOf(TcpListener listener) => ((IPEndPoint)listener.LocalEndpoint).Port;

    private TestcontainersEngine Engine(Func<int>? choosePort = null) => new(Docker, choosePort);

    private ContainerRequest Request(params string[] command) => new()
    {
        Kind = ServerKind.Postgres.Name,
        Image = _image!,
        Ports = [Port],
        Environment = new Dictionary<string, string> { ["POSTGRES_PASSWORD"] = "secret" },
        Command = command,
    };

    /// <summary>Testcontainers may see the end by itself, or hand out a container that has ended.</summary>
    private async Task<string> EndOfAsync(string[] command)
    {
        try
        {
            await using var container = await Engine().StartAsync(Request(command), Cancel);
            var since = TimeProvider.System.GetTimestamp();
            ContainerState state;
            while ((state = await container.ReadStateAsync(Cancel)).IsRunning)
            {
                Assert.True(TimeProvider.System.GetElapsedTime(since) < TimeSpan.FromSeconds(20), "the container runs on");
            }

            return $"exited with code {state.ExitCode}: {container.LogTail}";
        }
        catch (BackendException exception)
        {
            return exception.Message;
        }
    }

    private static async Task<JsonElement> InspectAsync(string id)
    {
        using var api = await DockerApi.ConnectAsync(DockerEndpoint.FromVariables(), Cancel);
        return await api.GetAsync($"/containers/{id}/json", Cancel);
    }
}
