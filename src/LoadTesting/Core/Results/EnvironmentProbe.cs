using System.Reflection;
using System.Runtime;

namespace LoadTesting.Core.Results;

/// <summary>Describes the machine, and what happened to it between the start of the probe and now.</summary>
public sealed partial class EnvironmentProbe
{
    private readonly HostFiles _host;
    private readonly string? _sdk;
    private readonly IReadOnlyList<double>? _loadBefore;
    private readonly (double Total, double Steal)? _cpuBefore;

    private EnvironmentProbe(HostFiles host, string? sdk)
    {
        _host = host;
        _sdk = sdk;
        _loadBefore = host.LoadAverage;
        _cpuBefore = host.CpuTime;
    }

    /// <summary>Begins: load average and stolen time count from here.</summary>
    /// <param name="directory">A directory of the repository; the SDK that answers there is recorded.</param>
    /// <param name="cancellationToken">Cancels the question for the SDK's version.</param>
    public static Task<EnvironmentProbe> StartAsync(string directory, CancellationToken cancellationToken = default) =>
        StartAsync(directory, "/", cancellationToken);

    /// <summary>The environment as it is now, without backends, which the probe does not know.</summary>
    public EnvironmentInfo Describe()
    {
        var cpuModel = _host.CpuModel;
        var memory = _host.MemoryBytes ?? GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        var environment = new EnvironmentInfo
        {
            MachineClass = MachineClassOf(cpuModel, Environment.ProcessorCount, memory),
            CpuModel = cpuModel,
            Cores = Environment.ProcessorCount,
            MemoryBytes = memory,
            Architecture = RuntimeInformation.ProcessArchitecture.ToString(),
            Os = _host.OsName ?? RuntimeInformation.OSDescription,
            Kernel = _host.Kernel ?? Environment.OSVersion.VersionString,
            Dotnet = RuntimeInformation.FrameworkDescription,
            Sdk = _sdk,
            GcMode = GcMode(),
            Unoptimised = Unoptimised(),
            CpuLimitCores = _host.CpuLimitCores,
            MemoryLimitBytes = _host.MemoryLimitBytes,
            BootId = _host.BootId,
            LoadAverageBefore = _loadBefore,
            LoadAverageAfter = _host.LoadAverage,
            StealShare = HostFiles.StealShare(_cpuBefore, _host.CpuTime),
            Notes = _sdk is null ? ["sdk is null: 'dotnet --version' gave no answer here."] : [],
        };
        return environment with { Fingerprint = FingerprintOf(environment) };
    }

    internal static async Task<EnvironmentProbe> StartAsync(
        string directory, string root, CancellationToken cancellationToken)
    {
        var sdk = await ProcessOutput.ReadAsync(directory, "dotnet", ["--version"], cancellationToken)
            .ConfigureAwait(false);
        return new EnvironmentProbe(new HostFiles(root), sdk?.Trim());
    }

    /// <summary>SHA-256 of the members that stay the same while the machine and its runtime do.</summary>
    internal static string FingerprintOf(EnvironmentInfo environment) => ContentHash.Of(
        "cpu=" + environment.CpuModel,
        "cores=" + Text(environment.Cores),
        "memoryGiB=" + Text(WholeGiB(environment.MemoryBytes)),
        "architecture=" + environment.Architecture,
        "os=" + environment.Os,
        "kernel=" + environment.Kernel,
        "dotnet=" + environment.Dotnet,
        "gc=" + environment.GcMode,
        "cpuLimit=" + Text(environment.CpuLimitCores),
        "memoryLimit=" + Text(environment.MemoryLimitBytes));

    private static string MachineClassOf(string? cpuModel, int cores, long memoryBytes)
    {
        var model = cpuModel ?? RuntimeInformation.ProcessArchitecture.ToString();
        var plain = MarkOrNoise().Replace(model.ToLowerInvariant(), " ");
        var slug = NotAlphanumeric().Replace(plain, "-").Trim('-');
        return string.Create(CultureInfo.InvariantCulture, $"{slug}-{cores}c-{InstalledGiB(memoryBytes)}g");
    }

    private static string GcMode() =>
        (GCSettings.IsServerGC ? "server" : "workstation")
            + (GCSettings.LatencyMode == GCLatencyMode.Batch ? "" : ", concurrent");

    private static List<string> Unoptimised() =>
        [.. AppDomain.CurrentDomain.GetAssemblies()
            .Where(assembly => assembly.GetCustomAttribute<DebuggableAttribute>()?.IsJITOptimizerDisabled == true)
            .Select(assembly => assembly.GetName().Name!).Distinct().Order(StringComparer.Ordinal)];

    private static long? WholeGiB(long? bytes) =>
        bytes is { } value ? (long)Math.Round(value / (double)(1L << 30)) : null;

    /// <summary>What the kernel keeps for itself is less than one of them, and differs between kernels.</summary>
    private static long InstalledGiB(long bytes) => (long)Math.Ceiling(bytes / (double)(1L << 30));

    private static string? Text(IFormattable? value) => value?.ToString(null, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"\((r|tm)\)|\bcpu\b|\bprocessor\b|@")]
    private static partial Regex MarkOrNoise();

    [GeneratedRegex("[^a-z0-9]+")]
    private static partial Regex NotAlphanumeric();
}
