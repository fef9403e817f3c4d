using System.Text.Json.Nodes;

namespace IntegrationTests.Shared.Backends.Containers;

/// <summary>Labels that tell whose a container is, and the removal of containers whose owner is gone: nothing else removes those of a killed process.</summary>
internal static class DockerLeftovers
{
    public const string OwnerLabel = "workflow-perf.owner";
    public const string MachineLabel = "workflow-perf.machine";

    /// <summary>The labels of a container of this process.</summary>
    public static JsonObject Labels() => new() { [OwnerLabel] = ProcessOwner.Current.ToString(), [MachineLabel] = Environment.MachineName };

    /// <summary>Removes the containers of processes of this machine that have ended. Process ids of others say nothing here.</summary>
    public static async Task RemoveAsync(DockerApi api, CancellationToken cancellationToken)
    {
        foreach (var (id, owner) in await ListAsync(api, cancellationToken))
        {
            if (ProcessOwner.Find(owner) is { IsAlive: false })
            {
                await api.DeleteAsync($"/containers/{id}?force=true&v=true", cancellationToken);
            }
        }
    }

    /// <summary>The containers of this machine's processes, running or not: id and owner.</summary>
    public static async Task<IReadOnlyList<(string Id, string Owner)>> ListAsync(DockerApi api, CancellationToken cancellationToken)
    {
        var filters = new JsonObject { ["label"] = new JsonArray(OwnerLabel, $"{MachineLabel}={Environment.MachineName}") };
        var list = await api.GetAsync($"/containers/json?all=true&filters={Uri.EscapeDataString(filters.ToJsonString())}", cancellationToken);
        return
        [
            .. list.EnumerateArray().Select(container => (
                container.GetProperty("Id").GetString()!, container.GetProperty("Labels").GetProperty(OwnerLabel).GetString()!)),
        ];
    }
}
