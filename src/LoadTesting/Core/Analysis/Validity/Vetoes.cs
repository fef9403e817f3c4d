namespace LoadTesting.Core.Analysis.Validity;

/// <summary>
/// Whether machine and generator disturbed the load. A veto drops both sides of a pair; it does not fail a test.
/// Schedule lag is not among the vetoes: response times count from the schedule, and the generator's health judges the
/// lag (<see cref="GeneratorHealthLimits"/>).
/// </summary>
public static class Vetoes
{
    /// <param name="host">Time that hypervisor and control group took.</param>
    /// <param name="generator">The generator's health.</param>
    /// <param name="isShared">Whether the system under test lives in the generator's process: processor and collector
    /// are then not the generator's.</param>
    public static IReadOnlyList<CheckResult> Judge(HostSample host, GeneratorHealth generator, bool isShared)
    {
        var shared = isShared ? "the system under test lives in the generator's process" : null;
        var process = generator.Process;
        return
        [
            OfDuration("steal", host.StealShare, VetoLimits.Steal, host.Duration,
                "of the processor time went to others of the hypervisor", null),
            OfDuration("throttled", host.ThrottledShare, VetoLimits.Throttled, host.Duration,
                "of the time the control group was throttled", null),
            OfDuration("generatorCpu", process.CpuShare, VetoLimits.GeneratorCpu, process.Duration,
                "of the processors were the generator's", shared),
            OfDuration("gcPause", process.GcPauseShare, VetoLimits.GcPause, process.Duration,
                "of the time the collector had stopped the generator", shared),
        ];
    }

    private static CheckResult OfDuration(
        string name, double? share, double limit, TimeSpan duration, string what, string? whyNot)
    {
        whyNot ??= duration < VetoLimits.ShortestLoad
            ? $"the load was shorter than {VetoLimits.ShortestLoad.TotalSeconds:0.###} s, and shares of it say nothing"
            : share is null ? "this machine does not report it" : null;
        return whyNot is null
            ? CheckResult.AtMost(
                name, CheckSubject.Measurement, share!.Value,
                limit, $"{100 * share.Value:0.0} % {what}, {100 * limit:0} % allowed")
            : CheckResult.Not(name, CheckSubject.Measurement, whyNot);
    }
}

/// <summary>The limits above which a machine was too busy for its times to be compared.</summary>
internal static class VetoLimits
{
    /// <summary>Processor time that the hypervisor gave to others, 0 to 1.</summary>
    public const double Steal = 0.02;

    /// <summary>Throttled by the control group, share of real time.</summary>
    public const double Throttled = 0.01;

    /// <summary>Processor time of the generator over real time x cores, 0 to 1.</summary>
    public const double GeneratorCpu = 0.8;

    /// <summary>Collector pauses over real time, 0 to 1.</summary>
    public const double GcPause = 0.05;

    /// <summary>Loads shorter than this have no shares: one tick of the kernel's clock is 1 % of a second.</summary>
    public static readonly TimeSpan ShortestLoad = TimeSpan.FromSeconds(1);
}
