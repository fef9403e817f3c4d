namespace IntegrationTests.Containers;

public sealed class DockerEngineTests : ContainerTests
{
    [Fact]
    public async Task Command_in_a_container_gives_its_exit_code_and_both_its_outputs()
    {
        await using var container = await StartIdleAsync();

        var result = await container.ExecuteAsync(["sh", "-c", "echo out; echo err >&2; exit 3"], Cancel);

        Assert.Equal((3, "out\n", "err\n"), (result.ExitCode, result.Output, result.Error));
    }

    [Fact]
    public async Task Log_is_at_hand_when_the_container_has_ended_and_holds_the_last_lines_only()
    {
        await using var container = await Engine.StartAsync(
            await RequestAsync("sh", "-c", "for n in $(seq 1 200); do echo line $n; done; printf 'no end of line'; exit 7"), Cancel);

        var state = await EndOfAsync(container);

        Assert.Equal((false, 7, null), (state.IsRunning, state.ExitCode, state.ProcessId));
        Assert.Contains("line 200", container.LogTail, StringComparison.Ordinal);
        Assert.EndsWith("no end of line", container.LogTail, StringComparison.Ordinal);
        Assert.DoesNotContain("line 100", container.LogTail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Containers_have_ports_of_their_own_and_labels_of_this_process()
    {
        await using var first = await StartIdleAsync();
        await using var second = await StartIdleAsync();

        Assert.NotEqual(first.PortOf(5432), second.PortOf(5432));
        Assert.NotEqual(first.Name, second.Name);
        Assert.Throws<ArgumentException>(() => first.PortOf(1));
        Assert.Equal(2, (await Engine.ListOwnAsync(Cancel)).Count);
    }

    [Fact]
    public async Task Container_of_a_killed_process_is_removed_by_the_next_that_looks_for_an_engine_and_those_of_the_living_stay()
    {
        await using var mine = await StartIdleAsync();
        await ImageAsync(ServerKind.Postgres);
        using var owner = await OwningProcess.StartAsync(ServerForAnotherProcess.ContainerVariable, lines: 1, Cancel);
        Assert.True(await Engine.HasContainerAsync(owner.Note[0], Cancel));
        await owner.KillAsync(Cancel);

        using var next = await DockerEngine.ConnectAsync(DockerEndpoint.FromVariables(), Cancel);

        // Of two that look at the same moment, one removes it and the other gets an answer that says so.
        await Eventually.BecomesAsync(
            () => Engine.HasContainerAsync(owner.Note[0], Cancel), isThere => !isThere, _ => "the container's removal");

        Assert.True((await mine.ReadStateAsync(Cancel)).IsRunning);
    }

    [Fact]
    public async Task Start_that_is_cancelled_leaves_no_container()
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

    private async Task<IServerContainer> StartIdleAsync() => await Engine.StartAsync(await RequestAsync("sleep", "600"), Cancel);

    private async Task<ContainerRequest> RequestAsync(params string[] command) => new()
    {
        Kind = ServerKind.Postgres.Name,
        Image = await ImageAsync(ServerKind.Postgres),
        Ports = [5432],
        Environment = new Dictionary<string, string> { ["POSTGRES_PASSWORD"] = "none" },
        Command = command,
    };

    private static async Task<ContainerState> EndOfAsync(IServerContainer container)
    {
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        deadline.CancelAfter(TimeSpan.FromSeconds(20));
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(50));
        var state = await container.ReadStateAsync(deadline.Token);
        while (state.IsRunning)
        {
            await timer.WaitForNextTickAsync(deadline.Token);
            state = await container.ReadStateAsync(deadline.Token);
        }

        return state;
    }
}
