namespace LoadTesting.Core.Load.Operations;

/// <summary>When the system becomes idle, which ends <c>signalToCompletion</c> and <c>drainToIdle</c>.</summary>
public enum BatchShape
{
    /// <summary>All operations are one batch, and the system is idle once, at its end.</summary>
    Together,

    /// <summary>Each operation is a separate batch: the next begins when the system is idle again.</summary>
    EachAlone,

    /// <summary>
    /// Operations follow one another for the whole load. The system is idle only at the end, so
    /// <c>signalToCompletion</c> is not measured. Finished operations are not kept, so that the load may last for
    /// hours.
    /// </summary>
    Continuous,
}
