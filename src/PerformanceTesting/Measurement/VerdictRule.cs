namespace PerformanceTesting.Measurement;

/// <summary>What may be held against a run: a line of the table of verdicts.</summary>
public enum VerdictRule
{
    /// <summary>
    /// The account, the events or the phases are not what they must be, or service, store and client disagree.
    /// </summary>
    Account,

    /// <summary>A threshold on counts or errors is missed.</summary>
    CountThreshold,

    /// <summary>A threshold on times or rates is missed.</summary>
    TimeThreshold,

    /// <summary>A threshold on times or rates has too few samples.</summary>
    TimeThresholdWithoutSamples,

    /// <summary>The system stood still for a second or longer.</summary>
    LongStall,

    /// <summary>The system stood still for less than a second.</summary>
    ShortStall,

    /// <summary>
    /// Generator or machine stood still, came late or had no thread. What a generator that is bound
    /// makes its own operations wait is in the client's times and not in the service's: Little's law then says nothing
    /// about the system.
    /// </summary>
    Disturbed,

    /// <summary>The system became slower all along, its p95 grew, or Little's law does not hold.</summary>
    Slower,

    /// <summary>The same, while others took the processors or the machine paused.</summary>
    SlowerOnBusyHost,

    /// <summary>The run has no steady part, and did not become slower.</summary>
    NotSettled,

    /// <summary>Somebody ended the run before its time.</summary>
    Partial,

    /// <summary>
    /// A load that saturates the machine by design was late, or missed a threshold on times, or did not settle.
    /// </summary>
    Saturated,
}
