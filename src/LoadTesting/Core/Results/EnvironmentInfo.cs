namespace LoadTesting.Core.Results;

/// <summary>Where a run was made. Null means that the platform does not report it.</summary>
public sealed record EnvironmentInfo
{
    /// <summary>Why <see cref="Backend"/> is null in a run of several profiles.</summary>
    internal const string SeveralBackends = "backend is null: the run has several profiles, see backends.";

    /// <summary>
    /// SHA-256 (lower-case hex) of the stable part: processor, cores, memory in whole GiB, architecture, operating
    /// system, kernel, runtime, collector mode and container limits. Reported only: whether runs compare is decided by
    /// what changes figures.
    /// </summary>
    public string? Fingerprint { get; init; }

    /// <summary>Readable name of the machine's class: processor, cores and memory, usable as a folder name.</summary>
    public string? MachineClass { get; init; }

    /// <summary>Processor model as the kernel names it.</summary>
    public string? CpuModel { get; init; }

    /// <summary>Logical processors this process may use.</summary>
    public int? Cores { get; init; }

    public long? MemoryBytes { get; init; }

    /// <summary>Process architecture, e.g. <c>X64</c>.</summary>
    public string? Architecture { get; init; }

    /// <summary>Operating system as text.</summary>
    public string? Os { get; init; }

    public string? Kernel { get; init; }

    /// <summary>Runtime as text, e.g. <c>.NET 10.0.1</c>.</summary>
    public string? Dotnet { get; init; }

    /// <summary>Version of the SDK that answers in the repository.</summary>
    public string? Sdk { get; init; }

    /// <summary>Garbage collector: <c>server</c> or <c>workstation</c>, and whether concurrent.</summary>
    public string? GcMode { get; init; }

    /// <summary>Loaded assemblies that were built without optimisation; null when that was not recorded.</summary>
    public IReadOnlyList<string>? Unoptimised { get; init; }

    /// <summary>Processor limit of the control group in cores; null when there is none.</summary>
    public double? CpuLimitCores { get; init; }

    /// <summary>Memory limit of the control group in bytes; null when there is none.</summary>
    public long? MemoryLimitBytes { get; init; }

    /// <summary>Identity of this boot; monotonic timestamps compare only within one.</summary>
    public string? BootId { get; init; }

    /// <summary>Load averages over 1, 5 and 15 minutes when the run began.</summary>
    public IReadOnlyList<double>? LoadAverageBefore { get; init; }

    /// <summary>Load averages over 1, 5 and 15 minutes after the newest scenario.</summary>
    public IReadOnlyList<double>? LoadAverageAfter { get; init; }

    /// <summary>Share of processor time, 0 to 1, that the hypervisor gave to others during the run.</summary>
    public double? StealShare { get; init; }

    /// <summary>
    /// The backend of a run of one profile; null when there are several, which stand in <see cref="Backends"/>.
    /// </summary>
    public BackendInfo? Backend { get; init; }

    /// <summary>The backend of each profile.</summary>
    public IReadOnlyDictionary<string, BackendInfo> Backends { get; init; } = new Dictionary<string, BackendInfo>();

    /// <summary>Why a member is null, where that is not plain.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}
