using System.Net.Sockets;
using IntegrationTests.WebService;
using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Engine.Configuration;
using Workflow.WebService.Peers;
using static IntegrationTests.Cluster.ServiceClusterTests;

namespace IntegrationTests.Cluster;

/// <summary>Two and four processes on one PostgreSQL, restarted one after the other.</summary>
[Trait("Category", "Extended")]
public sealed class ServiceRestartTests(BackendFixture backends, ITestOutputHelper output)
{
    /// <summary>
    /// Alternates orderly stops and kills. Of two nodes one owns all lanes; of four, several divide them.
    /// </summary>
    [Theory]
    [InlineData(2), InlineData(4)]
    public async Task Rolling_restart_under_load_fails_no_repeatable_request(int nodes)
    {
        await using var cluster = await ServiceCluster.StartAsync(backends, nodes, lanes: 4);
        var name = await cluster.Nodes[0].Client.RegisterNewAsync(SampleDefinitions.Waiting);
        using var enough = new CancellationTokenSource();
        var load = Enumerable.Range(0, 8)
            .Select(worker => Task.Run(() => LoadAsync(cluster, name, worker, enough.Token), Cancel)).ToArray();

        foreach (var (number, node) in cluster.Nodes.Index())
        {
            if (number % 2 == 1)
            {
                await node.KillAsync(Cancel);
            }
            else
            {
                Assert.Equal(0, await node.StopAsync(Cancel));
            }

            await node.RestartAsync(Cancel);
            await cluster.DividedAsync(nodes);
        }

        await enough.CancelAsync();
        var started = (await Task.WhenAll(load)).SelectMany(ids => ids).ToArray();
        output.WriteLine($"{started.Length} workflows, {cluster.Retries} requests repeated, none failed");
        Assert.True(started.Length > 20, $"Only {started.Length} workflows were run.");
        await cluster.AssertSoundAsync();
        await UntilOverAsync(cluster, name, started);
    }

    /// <summary>The exception depends on when the reset is seen. None of them is the fault of the request.</summary>
    [Fact]
    public async Task Node_that_resets_its_connections_is_not_reached()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var resetting = ResetAllAsync(listener);
        using var transport = new WebSocketPeers(
            1_048_576, TimeProvider.System, NullLogger.Instance);
        var peer = new Peer(Guid.NewGuid(), new($"http://{listener.LocalEndpoint}"), "key");

        for (var i = 0; i < 1_000; i++)
        {
            var reply =
                await transport.SendAsync(peer, new(Guid.NewGuid(), 0, "start", "{}"), TimeSpan.FromSeconds(10));
            Assert.True(reply.Outcome is PeerOutcome.Unreachable or PeerOutcome.Unknown, $"{reply}");
        }

        listener.Stop();
        await Assert.ThrowsAnyAsync<Exception>(() => resetting);
    }

    private static async Task ResetAllAsync(TcpListener listener)
    {
        while (true)
        {
            using var connection = await listener.AcceptSocketAsync(Cancel);
            connection.LingerState = new(enable: true, 0);
        }
    }

    /// <summary>Starts and signals, each by another node, until it is stopped.</summary>
    private static async Task<IReadOnlyList<Guid>> LoadAsync(
        ServiceCluster cluster, string definition, int worker, CancellationToken enough)
    {
        var started = new List<Guid>();
        for (var i = 0; !enough.IsCancellationRequested; i++)
        {
            var key = $"r{worker}-{i}";
            started.Add(await StartAsync(cluster, worker + i, definition, key));
            await cluster.SendAsync(worker + i + 1, client => client.SignalAsync(Resume(key), key, Cancel));
        }

        return started;
    }

    private static Task UntilOverAsync(ServiceCluster cluster, string name, IReadOnlyCollection<Guid> started) =>
        Eventually.BecomesAsync(
        async () =>
        {
            var there = await cluster.ListAsync(name);

            // Each start made one instance, however often it was repeated.
            Assert.Equal(started.Order(), there.Select(i => i.Id).Order());
            return there.Count(i => i.State != InstanceState.Completed);
        },
        open => open == 0,
        open => $"{open} of {started.Count} instances to complete");
}
