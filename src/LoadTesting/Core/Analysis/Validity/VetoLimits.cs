namespace LoadTesting.Core.Analysis.Validity;

/// <summary>From where on a machine was not quiet enough for its times to be compared with others.</summary>
public sealed record VetoLimits
{
    /// <summary>Processor time that the hypervisor gave to others, 0 to 1. Default 0.02.</summary>
    public double Steal { get; init; } = 0.02;

    /// <summary>Throttled by the control group, share of real time. Default 0.01.</summary>
    public double Throttled { get; init; } = 0.01;

    /// <summary>Processor time of the generator over real time x cores, 0 to 1. Default 0.8.</summary>
    public double GeneratorCpu { get; init; } = 0.8;

    /// <summary>Schedule-lag p99 over the response time's p50, open models. Default 0.1.</summary>
    public double ScheduleLag { get; init; } = 0.1;

    /// <summary>Collector pauses over real time, 0 to 1. Default 0.05.</summary>
    public double GcPause { get; init; } = 0.05;

    /// <summary>Loads shorter than this have no shares: one tick of the kernel's clock is 1 % of a second. Default 1 s.</summary>
    public TimeSpan ShortestLoad { get; init; } = TimeSpan.FromSeconds(1);
}
