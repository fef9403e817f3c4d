namespace PerformanceTests.Scenarios;

/// <summary>When the service is idle: what <c>signalToCompletion</c> and <c>drainToIdle</c> end with.</summary>
public enum WaveShape
{
    /// <summary>All operations are one wave, and the service is idle once, at its end.</summary>
    Together,

    /// <summary>Each operation is a wave of its own: the next begins when the service is idle again.</summary>
    EachAlone,

    /// <summary>
    /// Operations follow one another for as long as the load lasts. There is no idle moment but the last, to which a phase would measure the
    /// length of the run, so <c>signalToCompletion</c> is not measured; and nothing is kept of an operation that is over, so that it may last for hours.
    /// </summary>
    Continuous,
}
