namespace LoadTesting.Core.Load.Watches;

/// <summary>Figures at one moment; null if unknown. Processor times are sums since a fixed moment.</summary>
public sealed record TimelineReading
{
    /// <summary>Processor seconds of the generator's process.</summary>
    public double? GeneratorCpuSeconds { get; init; }

    /// <summary>Processor seconds of the service, if it has its own process.</summary>
    public double? ServiceCpuSeconds { get; init; }

    /// <summary>Processor seconds of the backend's processes.</summary>
    public double? DatabaseCpuSeconds { get; init; }

    /// <summary>Processor seconds of the whole machine, including stolen ones.</summary>
    public double? MachineCpuSeconds { get; init; }

    /// <summary>Processor seconds that the hypervisor gave to others.</summary>
    public double? StolenCpuSeconds { get; init; }

    /// <summary>Seconds that ready threads of the run waited for a processor, summed over threads.</summary>
    public double? RunDelaySeconds { get; init; }

    /// <summary>Work waiting in the service.</summary>
    public double? Backlog { get; init; }

    /// <summary>Seconds that the server's sessions spent in each wait, summed over sessions.</summary>
    public IReadOnlyDictionary<string, double>? WaitSeconds { get; init; }

    /// <summary>The service's own metrics by name; null if not read this time.</summary>
    public IReadOnlyDictionary<string, double>? Metrics { get; init; }
}
