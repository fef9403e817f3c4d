namespace LoadTesting.Core.Analysis.Gating;

/// <summary>The limits of one run beside stored runs.</summary>
/// <param name="Pass">Up to this value there is no regression.</param>
/// <param name="Regression">Above this value there is one; between the two the run is suspect.</param>
internal readonly record struct StoredLimit(double Pass, double Regression)
{
    /// <summary>
    /// Noise lets no more than this share of growth pass, however great it is: a doubled cost is a finding everywhere.
    /// </summary>
    public const double MaxUnseenShare = 0.5;

    /// <param name="baseline">The baseline value.</param>
    /// <param name="margin">Allowed growth.</param>
    /// <param name="noise">Growth that may be noise.</param>
    public static StoredLimit Of(double baseline, double margin, double noise) =>
        new(baseline + Math.Max(margin, Math.Min(noise, MaxUnseenShare * baseline)),
            baseline + Math.Max(margin, noise));

    public GateVerdict Judge(double measured) => measured > Regression ? GateVerdict.Regressed
        : measured > Pass ? GateVerdict.Suspect
        : GateVerdict.NotRegressed;

    public string Describe(StoredNoise noise, double measured)
    {
        var spread = GateText.Spread(noise);
        return Judge(measured) == GateVerdict.Suspect
            ? spread + " " + GateText.SuspectGrowth
            : spread;
    }
}
