using System.Net.Sockets;
using Docker.DotNet.Models;
using DotNet.Testcontainers.Containers;

namespace DotNet.Testcontainers.Containers
{
    public interface IContainer : IAsyncDisposable
    {
        string Id { get; }

        Task StartAsync(CancellationToken ct = default);
    }
}

namespace DotNet.Testcontainers.Images
{
    public static class PullPolicy
    {
        public static Func<ImageInspectResponse, bool> Never { get; } = _ => false;
    }
}

namespace DotNet.Testcontainers.Builders
{
    /// <summary>Neither pulls nor reaps: no test asks it to.</summary>
    public sealed class ContainerBuilder
    {
        private readonly CreateContainerParameters _parameters = new();
        private readonly List<Action<CreateContainerParameters>> _modifiers = [];
        private Uri? _endpoint;

        public ContainerBuilder WithDockerEndpoint(Uri endpoint) => With(_ => _endpoint = endpoint);

        public ContainerBuilder WithImage(string image) => With(p => p.Image = image);

        public ContainerBuilder WithImagePullPolicy(Func<ImageInspectResponse, bool> imagePullPolicy) => With(_ => { });

        public ContainerBuilder WithName(string name) => With(p => p.Name = name);

        public ContainerBuilder WithLabel(IReadOnlyDictionary<string, string> labels) =>
            With(p => p.Labels = new Dictionary<string, string>(labels));

        public ContainerBuilder WithCleanUp(bool cleanUp) => With(_ => { });

        public ContainerBuilder WithEnvironment(IReadOnlyDictionary<string, string> environments) =>
            With(p => p.Env = [.. environments.Select(pair => $"{pair.Key}={pair.Value}")]);

        public ContainerBuilder WithCommand(params string[] command) => With(p => p.Cmd = command);

        public ContainerBuilder WithPortBinding(int hostPort, int containerPort) => With(p =>
        {
            p.ExposedPorts[$"{containerPort}/tcp"] = new EmptyStruct();
            p.HostConfig.PortBindings[$"{containerPort}/tcp"] = [new PortBinding { HostPort = $"{hostPort}" }];
        });

        public ContainerBuilder WithCreateParameterModifier(Action<CreateContainerParameters> parameterModifier) =>
            With(_ => _modifiers.Add(parameterModifier));

        public IContainer Build()
        {
            // As the original does: when everything else is known.
            _modifiers.ForEach(modify => modify(_parameters));
            return new StandIn.EngineContainer(_endpoint ?? throw new NotSupportedException("The stand-in is given its engine."), _parameters);
        }

        private ContainerBuilder With(Action<CreateContainerParameters> set)
        {
            set(_parameters);
            return this;
        }
    }
}

namespace DotNet.Testcontainers.StandIn
{
    /// <summary>A container of the Docker Engine, asked for as the original asks; it does not wait until it runs.</summary>
    internal sealed class EngineContainer(Uri endpoint, CreateContainerParameters parameters) : IContainer
    {
        private readonly HttpClient _engine = new(new SocketsHttpHandler { ConnectCallback = (_, token) => ConnectAsync(endpoint, token) });

        public string Id { get; private set; } = "";

        public async Task StartAsync(CancellationToken ct = default)
        {
            var created = await PostAsync($"/containers/create?name={parameters.Name}", JsonSerializer.Serialize(parameters), ct);
            Id = JsonDocument.Parse(created).RootElement.GetProperty("Id").GetString()!;
            await PostAsync($"/containers/{Id}/start", "", ct);
        }

        public ValueTask DisposeAsync()
        {
            _engine.Dispose();
            return ValueTask.CompletedTask;
        }

        private async Task<string> PostAsync(string path, string body, CancellationToken cancellationToken)
        {
            using var content = new StringContent(body, Encoding.UTF8, "application/json");
            using var answer = await _engine.PostAsync(new Uri($"http://engine{path}"), content, cancellationToken);
            var text = await answer.Content.ReadAsStringAsync(cancellationToken);
            return answer.IsSuccessStatusCode ? text : throw new InvalidOperationException($"{answer.StatusCode}: {text}");
        }

        private static async ValueTask<Stream> ConnectAsync(Uri endpoint, CancellationToken cancellationToken)
        {
            var isLocal = endpoint.Scheme == "unix";
            var socket = isLocal ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
                : new Socket(SocketType.Stream, ProtocolType.Tcp);
            await (isLocal ? socket.ConnectAsync(new UnixDomainSocketEndPoint(endpoint.AbsolutePath), cancellationToken)
                : socket.ConnectAsync(endpoint.Host, endpoint.Port, cancellationToken));
            return new NetworkStream(socket, ownsSocket: true);
        }
    }
}

namespace Docker.DotNet.Models
{
    public sealed class ImageInspectResponse;

    public sealed class EmptyStruct;

    public sealed class CreateContainerParameters
    {
        public string Image { get; set; } = "";

        public string Name { get; set; } = "";

        public IDictionary<string, string> Labels { get; set; } = new Dictionary<string, string>();

        public IList<string> Env { get; set; } = [];

        public IList<string>? Cmd { get; set; }

        public IDictionary<string, EmptyStruct> ExposedPorts { get; set; } = new Dictionary<string, EmptyStruct>();

        public HostConfig HostConfig { get; set; } = new();
    }

    public sealed class HostConfig
    {
        public long ShmSize { get; set; }

        public IDictionary<string, string> Tmpfs { get; set; } = new Dictionary<string, string>();

        public IDictionary<string, IList<PortBinding>> PortBindings { get; set; } = new Dictionary<string, IList<PortBinding>>();
    }

    public sealed class PortBinding
    {
        public string HostIP { get; set; } = "";

        public string HostPort { get; set; } = "";
    }
}
