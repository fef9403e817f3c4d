using System.Net.Sockets;

namespace IntegrationTests.Containers;

/// <summary>Containers themselves, independent of their server.</summary>
public sealed class DockerEngineTests : ContainerTests
{
    private const int Port = 5432;

    [Fact]
    public async Task Container_starts_as_requested_and_is_gone_when_disposed_of()
    {
        var request = await RequestAsync("sleep", "600") with
        {
            MemoryDirectories = new Dictionary<string, long> { ["/data"] = 1_048_576 },
        };
        string id;
        await using (var container = await Engine.StartAsync(request, Cancel))
        {
            id = container.Id;
            var seen = (await InspectAsync(id))!;
            var (config, host) = (seen.Config!, seen.HostConfig!);
            var port = host.PortBindings![$"{Port}/tcp"].Single();

            Assert.Equal((request.Image, $"/{container.Name}"), (config.Image, seen.Name));
            Assert.Equal(["sleep", "600"], config.Cmd!);
            Assert.Contains("POSTGRES_PASSWORD=none", config.Env!);
            Assert.Equal("rw,size=1048576", host.Tmpfs!["/data"]);
            Assert.Equal(256 << 20, host.ShmSize);
            Assert.Equal($"{container.PortOf(Port)}", port.HostPort);
            Assert.Equal(DockerEndpoint.FromVariables().PublishedAddress, port.HostIP);
            Assert.True((await container.ReadStateAsync(Cancel)).IsRunning);
            Assert.Equal([id], await Engine.ListOwnAsync(Cancel));
        }

        Assert.Null(await InspectAsync(id));
    }

    [Theory]
    [InlineData(7, "line 200\nend", "sh", "-c", "for n in $(seq 200); do echo line $n; done; printf end; exit 7")]
    [InlineData(127, "no-such-program: not found", "no-such-program")]
    public async Task Container_that_exits_gives_exit_code_and_last_lines(
        int code, string words, params string[] command)
    {
        await using var container = await Engine.StartAsync(await RequestAsync(command), Cancel);
        await Eventually.BecomesAsync(
            () => container.ReadStateAsync(Cancel), state => !state.IsRunning, state => $"{state}");

        var (state, log) = (await container.ReadStateAsync(Cancel), await container.ReadLogTailAsync(Cancel));

        Assert.Equal((code, null), (state.ExitCode, state.ProcessId));
        Assert.Contains(words, log, StringComparison.Ordinal);
        Assert.DoesNotContain("line 100", log, StringComparison.Ordinal);
        Assert.Null(await container.ReadUsageAsync(Cancel));
    }

    [Fact]
    public async Task Containers_have_different_names_and_ports()
    {
        await using var first = await StartIdleAsync();
        await using var second = await StartIdleAsync();

        Assert.NotEqual(first.PortOf(Port), second.PortOf(Port));
        Assert.NotEqual(first.Name, second.Name);
        Assert.Throws<ArgumentException>(() => first.PortOf(1));
        Assert.Equal(2, (await Engine.ListOwnAsync(Cancel)).Count);
    }

    [Fact]
    public async Task Port_that_another_program_took_is_chosen_again()
    {
        using var taken = Take();
        var ports = new Queue<int>([PortOf(taken), PortOf(taken)]);
        using var engine = await EngineAsync(() => ports.Count > 0 ? ports.Dequeue() : LoopbackPort.Free());

        await using var container = await engine.StartAsync(await RequestAsync("sleep", "600"), Cancel);

        Assert.NotEqual(PortOf(taken), container.PortOf(Port));
        Assert.Empty(ports);
        Assert.Single(await engine.ListOwnAsync(Cancel));
    }

    [Fact]
    public async Task Port_that_stays_taken_is_reported_after_three_attempts()
    {
        using var taken = Take();
        var asked = 0;
        using var engine = await EngineAsync(() =>
        {
            asked++;
            return PortOf(taken);
        });
        var request = await RequestAsync("sleep", "600");

        var failure = await Assert.ThrowsAsync<BackendException>(() => engine.StartAsync(request, Cancel));

        AssertHolds(failure.Message, "Docker cannot start", "address already in use");
        Assert.Equal(3, asked);
        Assert.Empty(await engine.ListOwnAsync(Cancel));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Start_that_is_cancelled_leaves_nothing(bool isUnderWay)
    {
        using var cancelled = new CancellationTokenSource();
        using var engine = await EngineAsync(() =>
        {
            cancelled.CancelAfter(isUnderWay ? TimeSpan.FromMilliseconds(50) : TimeSpan.Zero);
            return LoopbackPort.Free();
        });
        var request = await RequestAsync("sleep", "600");

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => engine.StartAsync(request, cancelled.Token));

        Assert.Empty(await engine.ListOwnAsync(Cancel));
    }

    [Fact]
    public async Task Wait_for_an_answer_that_is_cancelled_leaves_no_container()
    {
        using var cancelled = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var request = await RequestAsync("sleep", "600");

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ServerInContainer.StartAsync(
            Engine,
            request,
            async (_, token) =>
            {
                await cancelled.CancelAsync();
                token.ThrowIfCancellationRequested();
                return "not yet";
            },
            cancelled.Token));

        Assert.Empty(await Engine.ListOwnAsync(Cancel));
    }

    [Fact]
    public async Task Next_engine_removes_the_containers_of_dead_processes_alone()
    {
        await using var mine = await StartIdleAsync();
        using var owner = await OwningProcess.StartAsync(ServerForAnotherProcess.ContainerVariable, lines: 1, Cancel);
        Assert.NotNull(await InspectAsync(owner.Note[0]));
        await owner.KillAsync(Cancel);

        using var next = await EngineAsync(choosePort: null);

        // Of two that look at the same moment, one removes it and the other gets an answer that says so.
        await Eventually.BecomesAsync(
            () => InspectAsync(owner.Note[0]), seen => seen is null, _ => "the container's removal");
        Assert.True((await mine.ReadStateAsync(Cancel)).IsRunning);
    }

    private static Task<DockerEngine> EngineAsync(Func<int>? choosePort) =>
        DockerEngine.ConnectAsync(DockerEndpoint.FromVariables(), choosePort, Cancel);

    private static TcpListener Take()
    {
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return listener;
    }

    private static int PortOf(TcpListener listener) => ((IPEndPoint)listener.LocalEndpoint).Port;

    private async Task<IServerContainer> StartIdleAsync() =>
        await Engine.StartAsync(await RequestAsync("sleep", "600"), Cancel);

    private async Task<ContainerRequest> RequestAsync(params string[] command) => new()
    {
        Kind = ServerKind.Postgres.Name,
        Image = await ImageAsync(ServerKind.Postgres),
        Ports = [Port],
        Environment = new Dictionary<string, string> { ["POSTGRES_PASSWORD"] = "none" },
        Command = command,
    };
}
