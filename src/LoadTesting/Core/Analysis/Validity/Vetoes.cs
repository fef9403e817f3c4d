using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Watches;
using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Analysis.Validity;

/// <summary>Whether machine and generator left the load alone. A veto drops both sides of a pair; it fails no test.</summary>
public static class Vetoes
{
    /// <param name="host">What hypervisor and control group took.</param>
    /// <param name="generator">The generator's health.</param>
    /// <param name="medianMs">Median of the response time, milliseconds; the schedule lag is measured by it.</param>
    /// <param name="isShared">Whether the system under test lives in the generator's process: processor and collector are then not the
    /// generator's.</param>
    public static IReadOnlyList<CheckResult> Judge(HostSample host, GeneratorHealth generator, double medianMs, bool isShared)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(generator);
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
            ScheduleLag(generator.ScheduleLagP99Ms, medianMs, VetoLimits.ScheduleLag),
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
                name, CheckSubject.Measurement, share!.Value, limit, $"{100 * share.Value:0.0} % {what}, {100 * limit:0} % allowed")
            : CheckResult.Not(name, CheckSubject.Measurement, whyNot);
    }

    private static CheckResult ScheduleLag(double? lagMs, double medianMs, double limit) => lagMs is not { } lag
        ? CheckResult.Not("scheduleLag", CheckSubject.Measurement, "a closed model has no schedule")
        : CheckResult.AtMost(
            "scheduleLag", CheckSubject.Measurement, lag / medianMs, limit,
            $"{Lateness(lag, medianMs)}, {100 * limit:0} % allowed");

    private static string Lateness(double lagMs, double medianMs) => Text(
        $"99 % of the operations began at most {lagMs:0.000} ms late, "
        + $"{100 * lagMs / medianMs:0.0} % of the median response of {medianMs:0.000} ms");
}

/// <summary>From where on a machine was not quiet enough for its times to be compared with others.</summary>
internal static class VetoLimits
{
    /// <summary>Processor time that the hypervisor gave to others, 0 to 1.</summary>
    public const double Steal = 0.02;

    /// <summary>Throttled by the control group, share of real time.</summary>
    public const double Throttled = 0.01;

    /// <summary>Processor time of the generator over real time x cores, 0 to 1.</summary>
    public const double GeneratorCpu = 0.8;

    /// <summary>Schedule-lag p99 over the response time's p50, open models.</summary>
    public const double ScheduleLag = 0.1;

    /// <summary>Collector pauses over real time, 0 to 1.</summary>
    public const double GcPause = 0.05;

    /// <summary>Loads shorter than this have no shares: one tick of the kernel's clock is 1 % of a second.</summary>
    public static readonly TimeSpan ShortestLoad = TimeSpan.FromSeconds(1);
}
