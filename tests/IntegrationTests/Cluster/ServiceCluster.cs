using System.Net.Http.Json;
using System.Net.Sockets;
using IntegrationTests.Network;
using IntegrationTests.WebService;
using Workflow.Engine.Instances;

namespace IntegrationTests.Cluster;

/// <summary>Several web service processes on one schema, and a client that moves to the next if one fails.</summary>
internal sealed class ServiceCluster : IAsyncDisposable
{
    /// <summary>The setting of the lease, and a lease in milliseconds that no busy machine lets run out.</summary>
    public const string Lease = "WorkflowCluster:LeaseMilliseconds";

    /// <inheritdoc cref="Lease"/>
    public const string LongestLease = "60000";

    private readonly HttpClient _http = new();
    private int _retries;

    private ServiceCluster(
        PostgresStoreOptions store, int lanes, IReadOnlyList<WebServiceProcess> nodes, IReadOnlyList<TcpLink> links)
    {
        Store = store;
        Lanes = lanes;
        Nodes = nodes;
        Links = links;
    }

    public IReadOnlyList<WebServiceProcess> Nodes { get; }

    /// <summary>The network through which the other nodes reach each node; empty unless asked for.</summary>
    public IReadOnlyList<TcpLink> Links { get; }

    public PostgresStoreOptions Store { get; }
    public int Lanes { get; }

    /// <summary>Requests that had to be repeated.</summary>
    public int Retries => Volatile.Read(ref _retries);

    public static async Task<ServiceCluster> StartAsync(
        BackendFixture backends, int nodes, int lanes, IReadOnlyDictionary<string, string>? settings = null)
    {
        await backends.Catalog.RequireOrSkipAsync("postgres", Cancel);
        return await StartAsync(await backends.Catalog.PostgresAsync(Cancel), nodes, lanes, settings);
    }

    /// <param name="linked">Nodes reach each other through <see cref="Links"/>; clients never do.</param>
    public static async Task<ServiceCluster> StartAsync(
        PostgresServer server, int nodes, int lanes, IReadOnlyDictionary<string, string>? settings = null,
        bool linked = false)
    {
        var store = new PostgresStoreOptions { ConnectionString = await server.CreateDatabaseAsync("cluster", Cancel) };
        var (started, links) = (new List<WebServiceProcess>(), new List<TcpLink>());
        var cluster = new ServiceCluster(store, lanes, started, links);
        for (var i = 0; i < nodes; i++)
        {
            var own = new Dictionary<string, string>(settings ?? new Dictionary<string, string>())
            {
                ["WorkflowCluster:NodeName"] = $"node {i}",
            };
            if (linked)
            {
                links.Add(new());
                own["WorkflowCluster:Address"] = $"http://127.0.0.1:{links[i].Port}";
            }

            started.Add(await WebServiceProcess.StartAsync(
                new WebServiceOptions
                {
                    Provider = "Postgres",
                    ConnectionString = store.ConnectionString,
                    Lanes = lanes,
                    Settings = own,
                },
                Cancel));
            if (linked)
            {
                links[i].ServerPort = started[i].BaseAddress.Port;
            }
        }

        await cluster.DividedAsync(nodes);
        return cluster;
    }

    /// <summary>Waits until the given number of nodes own all lanes between them.</summary>
    public Task DividedAsync(int live) => Eventually.BecomesAsync(
        () => Task.WhenAll(Nodes.Select(StateAsync)),
        states => states.Count(s => s is not null) == live && states.Sum(s => s?.OwnedLanes.Count ?? 0) == Lanes
            && states.All(s => s is null || s.LiveNodes == live),
        states => $"lanes divided among {live} nodes: {string.Join("; ", states.Select(s => s is null ? "gone" : $"{s}"))}");

    /// <summary>Another text after a lane has moved: each taking of a lane counts its epoch.</summary>
    public async Task<string> OwnersAsync()
    {
        var sql = $"select string_agg(epoch::text, ' ' order by lane) from {Store.Schema}.lanes";
        return $"{await Statements.ScalarAsync(Store.ConnectionString, sql)}";
    }

    public async Task<IReadOnlyList<int>> OwnedAsync(WebServiceProcess node) =>
        (await StateAsync(node))?.OwnedLanes ?? [];

    /// <summary>A key that lives in one of the lanes.</summary>
    public string KeyIn(IReadOnlyList<int> lanes, string prefix) =>
        Enumerable.Range(0, 10_000).Select(i => $"{prefix}{i}")
            .First(key => lanes.Contains(Partitioning.OfKey(key) % Lanes));

    /// <summary>Sends to a node, and to the next one each time one is gone or asks to come again.</summary>
    public async Task<T> SendAsync<T>(int first, Func<WorkflowClient, Task<T>> send)
    {
        using var deadline = new CancellationTokenSource(Eventually.Deadline);
        for (var attempt = 0; ; attempt++)
        {
            var node = Nodes[(first + attempt) % Nodes.Count];
            try
            {
                return await send(node.Client);
            }
            catch (WorkflowApiException e) when (e.Status == HttpStatusCode.InternalServerError)
            {
                throw new InvalidOperationException(
                    $"{node.BaseAddress} failed, and wrote: {await CauseAsync(node, e)}", e);
            }
            catch (Exception e) when (IsPassing(e) && !deadline.IsCancellationRequested)
            {
                Interlocked.Increment(ref _retries);
                await Task.Delay(TimeSpan.FromMilliseconds(20), Cancel);
            }
        }
    }

    /// <summary>The log of a node with the cause of a failure, which is written some time after the response.</summary>
    private static async Task<string> CauseAsync(WebServiceProcess node, WorkflowApiException failure)
    {
        var traceId = failure.Detail.TrimEnd('.').Split(' ')[^1];
        var since = Stopwatch.GetTimestamp();
        while (!node.OutputTail.Contains(traceId, StringComparison.Ordinal)
            && Stopwatch.GetElapsedTime(since) < TimeSpan.FromSeconds(5))
        {
            await Task.Delay(TimeSpan.FromMilliseconds(50), Cancel);
        }

        return node.OutputTail;
    }

    /// <summary>A figure of a node's metrics.</summary>
    public Task<double> MetricAsync(WebServiceProcess node, string name) => _http.MetricAsync(node.BaseAddress, name);

    /// <summary>The number of a node's requests that other nodes answered, since it started.</summary>
    public Task<double> AnsweredByOwnerAsync(WebServiceProcess node) =>
        MetricAsync(node, "workflow_answered_by_owner_total");

    /// <summary>All instances of a definition.</summary>
    public async Task<IReadOnlyList<InstanceView>> ListAsync(string definition)
    {
        var all = new List<InstanceView>();
        Guid? after = null;
        do
        {
            var page = await Nodes[0].Client.ListInstancesAsync(
                definition, after: after, limit: 1000, cancellationToken: Cancel);
            all.AddRange(page.Items);
            after = page.Next;
        }
        while (after is not null);
        return all;
    }

    /// <summary>Nothing lies in the store that should not be there.</summary>
    public Task AssertSoundAsync() => Eventually.BecomesAsync(
        () => PostgresAudit.CountAsync(Store, Cancel), counts => counts.Values.All(count => count == 0),
        counts => $"a sound store: {string.Join(", ", counts.Where(count => count.Value != 0))}");

    public async ValueTask DisposeAsync()
    {
        foreach (var node in Nodes)
        {
            await node.DisposeAsync();
        }

        foreach (var link in Links)
        {
            await link.DisposeAsync();
        }

        _http.Dispose();
    }

    /// <summary>Whether a request that failed so may be repeated.</summary>
    public static bool IsPassing(Exception error) => error is WorkflowApiException api
        ? api.Status is HttpStatusCode.ServiceUnavailable or HttpStatusCode.TooManyRequests
        : error is HttpRequestException or IOException;

    private async Task<NodeState?> StateAsync(WebServiceProcess node)
    {
        try
        {
            return await _http.GetFromJsonAsync<NodeState>(new Uri(node.BaseAddress, "health/ready"), Cancel);
        }
        catch (Exception e) when (e is HttpRequestException or IOException or SocketException)
        {
            return null;
        }
    }

    private sealed record NodeState(string NodeName, IReadOnlyList<int> OwnedLanes, int LiveNodes)
    {
        public override string ToString() => $"{NodeName} of {LiveNodes}: {string.Join(' ', OwnedLanes)}";
    }
}
