namespace PerformanceTesting.Backends;

/// <summary>Where a backend's server comes from: <c>WORKFLOW_PERF_PROVISION</c>.</summary>
public enum ProvisionMode
{
    /// <summary>External, container, native, in that order; each refusal is recorded.</summary>
    Auto,

    /// <summary>A server that already runs, named by a connection string.</summary>
    External,

    /// <summary>A container started for the run.</summary>
    Container,

    /// <summary>Installed server binaries started in a private data directory.</summary>
    Native,
}
