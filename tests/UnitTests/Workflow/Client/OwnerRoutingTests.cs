using System.Net.Sockets;
using Workflow.Client;
using Workflow.Contracts;
using Workflow.Contracts.Cluster;
using Workflow.Contracts.Signals;

namespace UnitTests.Workflow.Client;

/// <summary>Two nodes: a has the even partitions, b the odd ones.</summary>
public sealed class OwnerRoutingTests : IDisposable
{
    private const string Base = "http://base:5080/flows";
    private static readonly Uri A = new("http://a:1");
    private static readonly Uri B = new("http://b:2");
    private readonly Network _network = new();
    private readonly HttpClient _http;
    private readonly WorkflowClient _client;

    public OwnerRoutingTests()
    {
        _network.Cluster = new(Partitions.Count, [new(0, "a", A, Epoch: 0), new(1, "b", B, Epoch: 1)]);
        _http = new(new OwnerRouting(new(Base), key: "secret", _network)) { BaseAddress = new(Base) };
        _client = new(_http);
    }

    [Fact]
    public async Task Request_goes_to_the_owner_of_its_key_or_id()
    {
        await StartAsync(KeyOf(0));
        await SignalAsync(KeyOf(1));
        await _client.CancelAsync(IdOf(1), cancellationToken: Cancel);
        await StartAsync(key: null, idempotencyKey: KeyOf(1));

        Assert.Equal(
            ["base /flows/cluster", "a /instances", "b /signals", $"b /instances/{IdOf(1)}/cancel", "b /instances"],
            _network.Asked);
        Assert.Equal("secret", _network.KeyOfClusterRequest);
    }

    [Fact]
    public async Task Request_of_no_partition_goes_to_the_base_address()
    {
        await StartAsync(key: null);
        await _client.ListInstancesAsync(cancellationToken: Cancel);

        Assert.Equal(["base /flows/instances", "base /flows/instances"], _network.Asked);
    }

    [Fact]
    public async Task Moved_lane_is_followed_by_the_answer()
    {
        await SignalAsync(KeyOf(0));
        _network.Cluster = new(Partitions.Count, [new(0, "b", B, Epoch: 0), new(1, "b", B, Epoch: 1)]);
        await SignalAsync(KeyOf(0));
        await SignalAsync(KeyOf(0));

        Assert.Equal(
            ["base /flows/cluster", "a /signals", "a /signals", "base /flows/cluster", "b /signals"], _network.Asked);
    }

    [Theory]
    [InlineData(typeof(HttpRequestException))]
    [InlineData(typeof(SocketException))]
    [InlineData(typeof(TaskCanceledException))]
    public async Task Unreachable_owner_is_replaced_by_the_base_address(Type failure)
    {
        _network.Failures[A.Host] = () => Unconnected(failure);

        await SignalAsync(KeyOf(0));

        Assert.Equal(["base /flows/cluster", "a /signals", "base /flows/signals"], _network.Asked);
    }

    [Theory]
    [InlineData(typeof(HttpRequestException))]
    [InlineData(typeof(SocketException))]
    [InlineData(typeof(TaskCanceledException))]
    public async Task Unreachable_base_address_is_replaced_by_a_known_node(Type failure)
    {
        using var http = new HttpClient(new OwnerRouting(A, key: "secret", _network)) { BaseAddress = A };
        using var client = new WorkflowClient(http);
        await SignalAsync(KeyOf(0), client: client);
        _network.Asked.Clear();
        _network.Failures[A.Host] = () => Unconnected(failure);

        await SignalAsync(KeyOf(0), client: client);
        await SignalAsync(KeyOf(1), client: client);

        Assert.Equal(["a /signals", "b /signals", "a /cluster", "b /cluster", "b /signals"], _network.Asked);
    }

    [Fact]
    public async Task Owners_are_read_again_after_a_request_ends_unanswered()
    {
        await SignalAsync(KeyOf(0));
        _network.Asked.Clear();
        _network.Failures[A.Host] = () => new TaskCanceledException();
        await Assert.ThrowsAsync<TaskCanceledException>(() => SignalAsync(KeyOf(0), "once"));
        _network.Cluster = new(Partitions.Count, [new(0, "b", B, Epoch: 0), new(1, "b", B, Epoch: 1)]);

        await SignalAsync(KeyOf(0));

        Assert.Equal(["a /signals", "base /flows/cluster", "b /signals"], _network.Asked);
    }

    [Fact]
    public async Task Node_that_hangs_is_asked_for_owners_for_a_limited_time()
    {
        _network.HangsOnCluster = true;
        using var routing = new OwnerRouting(new(Base), key: "secret", _network)
        {
            ReadTimeout = TimeSpan.FromMilliseconds(1),
        };
        using var http = new HttpClient(routing) { BaseAddress = new(Base) };
        using var client = new WorkflowClient(http);

        await SignalAsync(KeyOf(0), client: client);

        Assert.Equal(["base /flows/cluster", "base /flows/signals"], _network.Asked);
    }

    [Fact]
    public async Task Request_of_unknown_outcome_is_repeated_with_a_key_alone()
    {
        _network.Failures[A.Host] = () => new HttpRequestException(HttpRequestError.ResponseEnded);

        await Assert.ThrowsAsync<HttpRequestException>(() => SignalAsync(KeyOf(0)));
        await SignalAsync(KeyOf(0), "once");

        Assert.Equal(
            ["base /flows/cluster", "a /signals", "base /flows/cluster", "a /signals", "base /flows/signals"],
            _network.Asked);
        Assert.Equal(3, _network.Bodies.Count);
        Assert.Contains(KeyOf(0), Assert.Single(_network.Bodies.Distinct()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Owners_that_cannot_be_read_cost_no_request()
    {
        _network.Cluster = null;

        await SignalAsync(KeyOf(0));
        await SignalAsync(KeyOf(1));

        Assert.Equal(["base /flows/cluster", "base /flows/signals", "base /flows/signals"], _network.Asked);
    }

    public void Dispose()
    {
        _client.Dispose();
        _http.Dispose();
        _network.Dispose();
    }

    /// <summary>A failure after which nothing was sent.</summary>
    private static Exception Unconnected(Type kind) => kind.Name switch
    {
        nameof(SocketException) => new SocketException((int)SocketError.ConnectionReset),
        nameof(TaskCanceledException) => new TaskCanceledException("No connection in time.", new TimeoutException()),
        _ => new HttpRequestException(HttpRequestError.ConnectionError),
    };

    private static string KeyOf(int lane) =>
        Enumerable.Range(0, 100).Select(i => $"key {i}").First(key => Partitions.OfKey(key) % 2 == lane);

    private static Guid IdOf(int lane) => Guid.Parse($"01890a5d-ac96-774b-bcce-b3020000000{lane}");

    private Task StartAsync(string? key, string? idempotencyKey = null) => _client.StartAsync(
        new StartInstance
        {
            Definition = "d", CorrelationKey = key,
            Input = JsonSerializer.SerializeToElement(new { correlationKey = KeyOf(1) }),
        },
        idempotencyKey, Cancel);

    private Task SignalAsync(string key, string? idempotencyKey = null, WorkflowClient? client = null) =>
        (client ?? _client).SignalAsync(
            new SendSignal { Name = "s", CorrelationKey = key }, idempotencyKey, Cancel);

    private sealed class Network : HttpMessageHandler
    {
        /// <summary>What nodes answer, and by which they know who has a partition; null if none answers.</summary>
        public ClusterInfo? Cluster { get; set; }

        public Dictionary<string, Func<Exception>> Failures { get; } = [];
        public bool HangsOnCluster { get; set; }
        public List<string> Asked { get; } = [];
        public List<string> Bodies { get; } = [];
        public string? KeyOfClusterRequest { get; private set; }

        protected override async Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request, CancellationToken cancellationToken)
        {
            var address = request.RequestUri!;
            Asked.Add($"{address.Host} {address.AbsolutePath}");
            if (Failures.TryGetValue(address.Host, out var failure))
            {
                if (request.Content is { } sent)
                {
                    Bodies.Add(await sent.ReadAsStringAsync(cancellationToken));
                }

                throw failure();
            }

            if (address.AbsolutePath.EndsWith("/cluster", StringComparison.Ordinal))
            {
                if (HangsOnCluster)
                {
                    await Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken);
                }

                KeyOfClusterRequest = request.Headers.GetValues(ContractsHttp.KeyHeader).Single();
                return Cluster is null ? new(HttpStatusCode.ServiceUnavailable) : Json(Cluster);
            }

            if (request.Content is not null)
            {
                Bodies.Add(await request.Content.ReadAsStringAsync(cancellationToken));
            }

            var response = Json(new
            {
                id = Guid.Empty, definition = "d", version = 1, state = "waiting", items = Array.Empty<int>(),
            });
            if (request.Headers.TryGetValues(ContractsHttp.PartitionHeader, out var partition)
                && Cluster?.Lanes[int.Parse(partition.Single(), CultureInfo.InvariantCulture) % 2].Address is { } owner
                && owner.Host != address.Host)
            {
                response.Headers.Add(ContractsHttp.OwnerHeader, owner.ToString());
            }

            return response;
        }

        private static HttpResponseMessage Json<T>(T value) => new(HttpStatusCode.OK)
        {
            Content = new StringContent(
                JsonSerializer.Serialize(value, ContractsJson.Default), Encoding.UTF8, "application/json"),
        };
    }
}
