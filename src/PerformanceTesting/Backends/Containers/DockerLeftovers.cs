using System.Text.Json.Nodes;

namespace PerformanceTesting.Backends.Containers;

/// <summary>Labels that tell whose a container is, and the removal of containers whose owner is gone: nothing else removes those of a killed process.</summary>
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

    /// <summary>Removes the containers of processes of this machine that have ended. Process ids of others say nothing here.</summary>
    public static async Task RemoveAsync(DockerApi api, CancellationToken cancellationToken)
    {
        foreach (var (id, owner) in await ListAsync(api, $"{MachineLabel}={Environment.MachineName}", cancellationToken))
        {
            if (ProcessOwner.Find(owner) is { IsAlive: false })
            {
                await api.DeleteAsync($"/containers/{id}?force=true&v=true", cancellationToken);
            }
        }
    }

    /// <summary>The containers with a label, running or not: id and owner.</summary>
    public static async Task<IReadOnlyList<(string Id, string Owner)>> ListAsync(DockerApi api, string label, CancellationToken cancellationToken)
    {
        var filters = new JsonObject { ["label"] = new JsonArray(OwnerLabel, label) };
        var list = await api.GetAsync($"/containers/json?all=true&filters={Uri.EscapeDataString(filters.ToJsonString())}", cancellationToken);
        return
        [
            .. list.EnumerateArray().Select(container => (
                container.GetProperty("Id").GetString()!, container.GetProperty("Labels").GetProperty(OwnerLabel).GetString()!)),
        ];
    }
}
