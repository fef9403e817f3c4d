using System.Globalization;

namespace LoadTesting.Core.Load;

/// <summary>What the generator's own process shows against it.</summary>
internal static class ProcessEvidence
{
    internal static IEnumerable<HealthEvidence> Of(GeneratorSample process, GeneratorHealthLimits limits)
    {
        var judgesShares = process.Duration >= limits.ShareFloor;
        if (judgesShares && limits.MaximumCpuShare is { } cpu && process.CpuShare > cpu)
        {
            yield return new HealthEvidence("cpu", process.CpuShare, cpu, Text(
                $"the generator used {100 * process.CpuShare:0} % of {process.Cores} cores, at most {100 * cpu:0} % may be used; latencies contain its own queueing"));
        }

        if (judgesShares && limits.MaximumGcPauseShare is { } gc && process.GcPauseShare > gc)
        {
            yield return new HealthEvidence("gcPause", process.GcPauseShare, gc, Text(
                $"garbage collection paused the generator for {100 * process.GcPauseShare:0.0} % of the time, at most {100 * gc:0.0} % may be; allocate less in the bodies"));
        }

        var queuePerCore = (double)process.ThreadPoolQueueP90 / process.Cores;
        if (limits.MaximumThreadPoolQueuePerCore is { } queue && queuePerCore > queue)
        {
            yield return new HealthEvidence("threadPoolQueue", queuePerCore, queue, Text(
                $"{process.ThreadPoolQueueP90} work items waited in the thread pool in a tenth of the samples, {queuePerCore:0} a core, at most {queue:0} may; do bodies block thread-pool threads?"));
        }

        var stalledMs = Math.Max(process.JitterMaxMs, process.Stalled.TotalMilliseconds);
        if (limits.MaximumJitterMs is { } jitter && process.JitterMaxMs > jitter && stalledMs > limits.StallFloor * process.Duration.TotalMilliseconds)
        {
            yield return new HealthEvidence("jitter", process.JitterMaxMs, jitter, Text(
                $"a 10 ms ticker on its own thread was {process.JitterMaxMs:0} ms late, at most {jitter:0} ms may be, and stalled for {stalledMs:0} ms of {process.Duration.TotalSeconds:0.#} s; the machine is too busy or was paused"));
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
