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
    public sealed class ContainerBuilder
    {
        /// <summary>What was asked for; the real one keeps it to itself.</summary>
        public CreateContainerParameters Parameters { get; } = new();

        /// <summary>Makes the container in the tests.</summary>
        public static Func<CreateContainerParameters, IContainer> Factory { get; set; } = _ => throw new NotSupportedException(
            "This is a stand-in for Testcontainers; build with -p:FullFeed=true for the real one.");

        public ContainerBuilder WithImage(string image) => With(p => p.Image = image);

        public ContainerBuilder WithImagePullPolicy(Func<ImageInspectResponse, bool> imagePullPolicy) =>
            With(p => p.Pulls = imagePullPolicy(new ImageInspectResponse()));

        public ContainerBuilder WithName(string name) => With(p => p.Name = name);

        public ContainerBuilder WithLabel(IReadOnlyDictionary<string, string> labels) =>
            With(p => p.Labels = new Dictionary<string, string>(labels));

        public ContainerBuilder WithCleanUp(bool cleanUp) => With(p => p.CleansUp = cleanUp);

        public ContainerBuilder WithEnvironment(IReadOnlyDictionary<string, string> environments) =>
            With(p => p.Env = [.. environments.Select(pair => $"{pair.Key}={pair.Value}")]);

        public ContainerBuilder WithCommand(params string[] command) => With(p => p.Cmd = command);

        public ContainerBuilder WithPortBinding(int hostPort, int containerPort) =>
            With(p => p.HostConfig.PortBindings[$"{containerPort}/tcp"] = [new PortBinding { HostPort = $"{hostPort}" }]);

        public ContainerBuilder WithCreateParameterModifier(Action<CreateContainerParameters> parameterModifier) =>
            With(p => p.Modifiers.Add(parameterModifier));

        public IContainer Build()
        {
            // As the original does: when everything else is known.
            Parameters.Modifiers.ForEach(modify => modify(Parameters));
            return Factory(Parameters);
        }

        private ContainerBuilder With(Action<CreateContainerParameters> set)
        {
            set(Parameters);
            return this;
        }
    }
}

namespace Docker.DotNet.Models
{
    public sealed class ImageInspectResponse;

    public sealed class CreateContainerParameters
    {
        public string Image { get; set; } = "";

        public string Name { get; set; } = "";

        public IDictionary<string, string> Labels { get; set; } = new Dictionary<string, string>();

        public IList<string> Env { get; set; } = [];

        public IList<string> Cmd { get; set; } = [];

        public HostConfig HostConfig { get; set; } = new();

        public bool? Pulls { get; set; }

        public bool? CleansUp { get; set; }

        public List<Action<CreateContainerParameters>> Modifiers { get; } = [];
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
