using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// Looks for the rate that a system carries: closed rungs say about where it lies, open rungs climb from a tenth of that by the square root of 2 until one
/// is under pressure, and the bracket between the last comfortable and the first that is not is halved. A bad rung is measured once more before it
/// counts. The method is that of a ladder with an open model: offered load does not give way to a slow system, so what it cannot carry is seen.
/// </summary>
/// <param name="options">Settings.</param>
public sealed class CapacitySearch(CapacityOptions options)
{
    /// <summary>Measures.</summary>
    /// <param name="target">The system.</param>
    /// <param name="name">Full name of the ladder.</param>
    /// <param name="profile">Backend combination.</param>
    /// <param name="hosting">In process or over HTTP.</param>
    /// <param name="cancellationToken">Ends the search; what was measured is lost.</param>
    /// <exception cref="ArgumentException">An option is out of range; the message names each.</exception>
    public async Task<CapacityResult> RunAsync(
        ICapacityTarget target, string name, string profile, HostingKind hosting, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(target);
        options.ThrowIfInvalid();
        var closed = new List<RungResult>();
        foreach (var concurrency in options.ClosedRungs.Order())
        {
            closed.Add(await target.KeepAsync(concurrency, options.Window, cancellationToken).ConfigureAwait(false));
        }

        var climb = new OpenClimb(target, options);
        var greatest = closed.Max(rung => rung.ThroughputPerSecond);
        var outcome = greatest > 0 ? await climb.RunAsync(greatest * options.FirstShare, cancellationToken).ConfigureAwait(false) : CapacityOutcome.NothingComfortable;
        return new CapacityConclusion(options).Of(
            new CapacityResult { Name = name, Profile = profile, Hosting = hosting, Outcome = outcome, Sentence = "" }, closed, climb.Rungs);
    }
}
