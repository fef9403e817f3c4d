using System.Collections.Concurrent;
using Docker.DotNet.Models;
using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Containers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using PerformanceTesting.Backends;
using PerformanceTesting.Backends.Containers;
using PerformanceTesting.Backends.Containers.Testcontainers;
using PerformanceTesting.Processes;

namespace FullFeed.Adapters;

/// <summary>The adapter over a stand-in for Testcontainers, with an engine that answers what is asked beside it.</summary>
public sealed class TestcontainersEngineTests : IAsyncLifetime
{
    private readonly ConcurrentQueue<string> _orders = new();
    private readonly List<CreateContainerParameters> _built = [];
    private WebApplication? _service;
    private TestcontainersEngine? _engine;

    private static ContainerRequest Request => new()
    {
        Kind = ServerKind.Postgres.Name,
        Image = "postgres:17.6",
        Ports = [5432],
        Environment = new Dictionary<string, string> { ["POSTGRES_PASSWORD"] = "secret" },
        Command = ["-c", "fsync=on"],
        MemoryDirectories = new Dictionary<string, long> { ["/data"] = 1_000_000 },
    };

    [Fact]
    public async Task Container_is_asked_for_as_the_request_says_and_is_removed_with_its_volumes()
    {
        ContainerBuilder.Factory = Remember(() => { });

        await using (var container = await _engine!.StartAsync(Request, Cancel))
        {
            var built = Assert.Single(_built);
            Assert.Equal(("postgres:17.6", false, false), (built.Image, built.Pulls, built.CleansUp));
            Assert.Equal(["POSTGRES_PASSWORD=secret"], built.Env);
            Assert.Equal(["-c", "fsync=on"], built.Cmd);
            Assert.Equal("rw,size=1000000", built.HostConfig.Tmpfs["/data"]);
            Assert.Equal(256 << 20, built.HostConfig.ShmSize);
            var port = Assert.Single(built.HostConfig.PortBindings["5432/tcp"]);
            Assert.Equal(("127.0.0.1", $"{container.PortOf(5432)}"), (port.HostIP, port.HostPort));
            Assert.Contains("workflow-perf.owner", built.Labels.Keys);
            Assert.Equal((built.Name, "127.0.0.1", "an-id"), (container.Name, container.Host, container.Id));
        }

        Assert.Contains("DELETE /containers/an-id?force=true&v=true", _orders);
    }

    [Fact]
    public async Task Port_that_somebody_else_took_is_chosen_again()
    {
        ContainerBuilder.Factory = Remember(() =>
        {
            if (_built.Count < 3)
            {
                throw new InvalidOperationException("Bind for 127.0.0.1:1 failed: port is already allocated");
            }
        });

        await using var container = await _engine!.StartAsync(Request, Cancel);

        Assert.Equal(3, _built.Select(built => built.Name).Distinct().Count());
    }

    [Fact]
    public async Task Refusal_keeps_its_words_and_leaves_nothing()
    {
        ContainerBuilder.Factory = Remember(() => throw new InvalidOperationException("no space left on device"));

        var error = await Assert.ThrowsAsync<BackendException>(() => _engine!.StartAsync(Request, Cancel));

        Assert.Equal("Testcontainers could not start postgres:17.6: no space left on device", error.Message);
        Assert.Contains($"DELETE /containers/{Assert.Single(_built).Name}?force=true&v=true", _orders);
    }

    public async ValueTask InitializeAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        _service = builder.Build();
        _service.Run(AnswerAsync);
        await _service.StartAsync(Cancel);
        var address = new Uri(_service.Urls.Single());
        _engine = new TestcontainersEngine(await DockerEngine.ConnectAsync(
            DockerEndpoint.FromVariables(name => name == DockerEndpoint.HostName ? $"tcp://{address.Authority}" : null), Cancel));
    }

    public async ValueTask DisposeAsync()
    {
        _engine?.Dispose();
        if (_service is not null)
        {
            await _service.DisposeAsync();
        }
    }

    private Func<CreateContainerParameters, IContainer> Remember(Action start) => parameters =>
    {
        _built.Add(parameters);
        return new BuiltContainer(start);
    };

    private async Task AnswerAsync(HttpContext context)
    {
        var path = context.Request.Path.Value!;
        path = path.StartsWith("/v1.", StringComparison.Ordinal) ? path[path.IndexOf('/', 1)..] : path;
        _orders.Enqueue($"{context.Request.Method} {path}{context.Request.QueryString}");
        context.Response.Headers["Api-Version"] = "1.45";
        context.Response.ContentType = "application/json";
        await (path switch
        {
            "/_ping" => context.Response.WriteAsync("OK"),
            "/version" => context.Response.WriteAsync("""{"Version":"27.0"}"""),
            "/containers/json" => context.Response.WriteAsync("[]"),
            _ when path.EndsWith("/json", StringComparison.Ordinal) => context.Response.WriteAsync("""{"Id":"an-id"}"""),
            _ => Task.CompletedTask,
        });
    }

    private sealed class BuiltContainer(Action start) : IContainer
    {
        public string Id => "an-id";

        public Task StartAsync(CancellationToken ct = default)
        {
            start();
            return Task.CompletedTask;
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
