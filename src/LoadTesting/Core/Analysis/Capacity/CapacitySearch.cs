namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// Finds the rate that a system carries. Closed load steps give a first estimate. Open load steps then climb from a
/// tenth of that estimate by the square root of 2 until one is under pressure, and the bracket between the last
/// comfortable step and the first one under pressure is halved. A load step counts once two measurements of it agree.
/// The model is open because an offered load does not slow down with the system, so a rate that the system cannot carry
/// becomes visible.
/// </summary>
/// <param name="options">Settings.</param>
public sealed class CapacitySearch(CapacityOptions options)
{
    /// <param name="target">The system.</param>
    /// <param name="name">Full name of the ladder.</param>
    /// <param name="profile">Backend combination.</param>
    /// <param name="hosting">In process or over HTTP.</param>
    /// <param name="cancellationToken">Cancels the search; its measurements are lost.</param>
    /// <exception cref="ArgumentException">An option is out of range; the message names each.</exception>
    public async Task<CapacityResult> RunAsync(
        ICapacityTarget target, string name, string profile, HostingKind hosting,
        CancellationToken cancellationToken = default)
    {
        options.ThrowIfInvalid();
        var closed = new List<LoadStepResult>();
        foreach (var concurrency in options.ClosedSteps.Order())
        {
            closed.Add(await target.KeepAsync(concurrency, options.Window, cancellationToken).ConfigureAwait(false));
        }

        var climb = new OpenClimb(target, options);
        var greatest = closed.Max(step => step.ThroughputPerSecond);

        // A build that is too slow does not start at a lower rate because of that.
        greatest = greatest > 0 ? Math.Max(greatest, options.LeastPerSecond ?? 0) : 0;
        var outcome = greatest > 0
            ? await climb.RunAsync(greatest * options.FirstShare, cancellationToken).ConfigureAwait(false)
            : CapacityOutcome.NothingComfortable;
        return new CapacityConclusion(options).Of(
            new CapacityResult { Name = name, Profile = profile, Hosting = hosting, Outcome = outcome, Sentence = "" },
            closed,
            climb.Steps);
    }
}
