using System.Net;

namespace PerformanceTesting.Subjects;

/// <summary>How a web service is started for a test.</summary>
public sealed record WebServiceOptions
{
    /// <summary>The service's assembly, which the test project refers to. Default: the workflow's.</summary>
    public string Assembly { get; init; } = "Workflow.WebService.dll";

    /// <summary>Where it listens. Default: on this machine alone.</summary>
    public IPAddress Address { get; init; } = IPAddress.Loopback;

    /// <summary>
    /// <c>Access:Keys</c>, which every client must send. Null (the default) for none; the address must then be a
    /// loopback one. Travels in the environment, where no list of processes shows it.
    /// </summary>
    public string? Key { get; init; }

    /// <summary><c>WorkflowBackend:Provider</c>.</summary>
    public string Provider { get; init; } = "Memory";

    /// <summary>
    /// <c>ConnectionStrings:Workflow</c>; travels in the environment, where no list of processes shows it.
    /// </summary>
    public string? ConnectionString { get; init; }

    /// <summary><c>WorkflowBackend:Schema</c>; the service's default when null.</summary>
    public string? Schema { get; init; }

    /// <summary><c>WorkflowBackend:Lanes</c>; the service's default when null.</summary>
    public int? Lanes { get; init; }

    /// <summary>Any other setting, by its key with colons.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();

    /// <summary>How long the service may take until it listens, or to end when it is stopped.</summary>
    public TimeSpan Deadline { get; init; } = TimeSpan.FromSeconds(60);

    internal string FreePort() => $"http://{new IPEndPoint(Address, LoopbackPort.Free(Address))}";

    internal IEnumerable<KeyValuePair<string, string>> Environment()
    {
        yield return new("WorkflowBackend__Provider", Provider);
        yield return new("Hosting__StopWhenInputEnds", "true");
        foreach (var (key, value) in new (string Key, string? Value)[]
            {
                ("ConnectionStrings__Workflow", ConnectionString),
                ("Access__Keys__0", Key),
                ("WorkflowBackend__Schema", Schema),
                ("WorkflowBackend__Lanes", Lanes?.ToString(System.Globalization.CultureInfo.InvariantCulture)),
            })
        {
            if (value is not null)
            {
                yield return new(key, value);
            }
        }

        foreach (var (key, value) in Settings)
        {
            yield return new(key.Replace(":", "__", StringComparison.Ordinal), value);
        }
    }
}
