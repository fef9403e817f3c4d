namespace LoadTesting.Core.Analysis.Findings;

/// <summary>The limits of the finding rules.</summary>
internal static class FindingLimits
{
    /// <summary>Completed operations below which nothing is ranked.</summary>
    public const int MinimumCompleted = 100;

    /// <summary>Share of the response time, 0 to 1, from which a resource is a finding.</summary>
    public const double MinShare = 0.2;

    /// <summary>Share of the response time from which a finding may have medium confidence.</summary>
    public const double MediumShare = 1 / 3.0;

    /// <summary>Share of the response time from which a finding may have high confidence.</summary>
    public const double HighShare = 0.5;

    /// <summary>
    /// Busy share, 0 to 1, from which a resource counts as full, so that queueing may be charged to it.
    /// </summary>
    public const double FullUtilisation = 0.85;

    /// <summary>
    /// Share of the machine's processors below which processor time is never what operations wait for: it is then as
    /// small as what the measurement and the runtimes use beside the operations.
    /// </summary>
    public const double MinProcessorShare = 0.2;

    /// <summary>Share of the machine's processors below which the compiler is never what operations wait for.</summary>
    public const double MinCompilerShare = 0.05;

    /// <summary>Share of the machine that others may use before confidence is at most medium.</summary>
    public const double OthersForMedium = 0.1;

    /// <summary>
    /// Share of the machine from which others are a finding where operations waited for processors, and confidence is
    /// low.
    /// </summary>
    public const double OthersForLow = 0.25;

    /// <summary>
    /// Schedule lag below this does not count against the generator, seconds: a thread pool cannot do better.
    /// </summary>
    public const double LagFloorSeconds = 0.001;

    /// <summary>Unmeasured time below this is the wake-up of threads and the travel of messages, seconds.</summary>
    public const double WaitFloorSeconds = 0.002;

    /// <summary>Samples of sessions that a finding needs.</summary>
    public const int MinimumLooks = 30;

    /// <summary>
    /// Shortest run with meaningful processor time, seconds: it may be counted in hundredths of a second.
    /// </summary>
    public const double MinimumProcessorSeconds = 0.5;

    /// <summary>Windows into which the measured part is cut to see whether a finding holds in each; at most.</summary>
    public const int MaxWindows = 8;

    /// <summary>Windows below which confidence is at most medium.</summary>
    public const int MinWindows = 4;

    /// <summary>Length of a window at least, seconds.</summary>
    public const double ShortestWindowSeconds = 0.6;

    /// <summary>Share of the windows that must agree for high confidence.</summary>
    public const double AgreementForHigh = 0.75;

    /// <summary>Share of the windows that must agree for medium confidence.</summary>
    public const double AgreementForMedium = 0.6;
}
