using Docker.DotNet.Models;
using Foundation;

namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// Labels that say whose a container is, and the removal of those whose owner is gone: nothing else removes them.
/// </summary>
internal static class DockerLeftovers
{
    public const string OwnerLabel = "workflow-perf.owner";
    public const string MachineLabel = "workflow-perf.machine";
    public const string EngineLabel = "workflow-perf.engine";

    /// <summary>The labels of a container of this process.</summary>
    /// <param name="engine">Which object of the process started it.</param>
    public static IReadOnlyDictionary<string, string> Labels(string engine) => new Dictionary<string, string>
    {
        [OwnerLabel] = ProcessOwner.Current.ToString(),
        [MachineLabel] = Environment.MachineName,
        [EngineLabel] = engine,
    };

    /// <summary>
    /// Removes the containers of processes of this machine that have ended. Process ids of other machines say nothing.
    /// </summary>
    public static async Task RemoveAsync(DockerConnection docker, CancellationToken cancellationToken)
    {
        var ofThisMachine = $"{MachineLabel}={Environment.MachineName}";
        foreach (var container in await ListAsync(docker, ofThisMachine, cancellationToken))
        {
            if (ProcessOwner.Find(container.Labels![OwnerLabel]) is { IsAlive: false })
            {
                await docker.RemoveAsync(container.ID!, cancellationToken);
            }
        }
    }

    /// <summary>The containers of any owner with a label, running or not.</summary>
    public static Task<IList<ContainerListResponse>> ListAsync(
        DockerConnection docker, string label, CancellationToken cancellationToken)
    {
        var labels = new Dictionary<string, bool> { [OwnerLabel] = true, [label] = true };
        var parameters = new ContainersListParameters
        {
            All = true,
            Filters = new Dictionary<string, IDictionary<string, bool>> { ["label"] = labels },
        };
        return docker.AskAsync(
            "list containers",
            client => client.Containers.ListContainersAsync(parameters, cancellationToken),
            cancellationToken);
    }
}
