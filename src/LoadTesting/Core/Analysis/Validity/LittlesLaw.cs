using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Analysis.Validity;

/// <summary>
/// Little's law between two observers that share no timestamp: the service integrates its own gauge over its own clock,
/// the client multiplies its rate by its mean residence. Operations that one of them did not see, stamps that lie, or a
/// gauge that leaks make them differ. Source: J. D. C. Little, A proof for the queuing formula L = λW, Operations
/// Research 9 (1961); exact over a window that begins and ends empty.
/// </summary>
public static class LittlesLaw
{
    public const string CheckName = "littlesLaw";

    /// <summary>Most that both may differ, as a share of the service's.</summary>
    public const double Limit = 0.05;

    public const long MinimumCompletions = 1_000;

    /// <param name="serviceInFlightSeconds">
    /// Increase of the service's integral over a window that holds all of the load: operations x seconds.
    /// </param>
    /// <param name="completions">Completions that the client saw, at least 1.</param>
    /// <param name="residenceMs">Mean time from beginning to completion by the client, milliseconds.</param>
    /// <param name="window">The client's window, above zero.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no completion or no window.</exception>
    public static (LittlesLawResult Result, CheckResult Check) Compare(
        double serviceInFlightSeconds, long completions, double residenceMs, TimeSpan window)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(completions, 1);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(window, TimeSpan.Zero);
        var service = serviceInFlightSeconds / window.TotalSeconds;
        var rate = completions / window.TotalSeconds;
        var client = rate * residenceMs / 1_000;

        // A service that saw nothing in flight differs by all there was.
        var error = service > 0 ? Math.Abs(service - client) / service : double.MaxValue;
        var result = new LittlesLawResult
        {
            N = completions,
            WindowMs = window.TotalMilliseconds,
            ServiceInFlight = service,
            ThroughputPerSecond = rate,
            ResidenceMs = residenceMs,
            ClientInFlight = client,
            RelativeError = error,
        };
        var byClient = Text($"{rate:0.#}/s x {residenceMs:0.###} ms = {client:0.###} by the client");
        return (result, CheckResult.AtMost(
            CheckName, CheckSubject.System, error, Limit,
            $"{service:0.###} in flight by the service's gauge, {byClient}: {Share(error)} apart, {100 * Limit:0} % allowed"));
    }

    private static string Share(double error) => error < 100 ? Text($"{100 * error:0.0} %") : "beyond any measure";
}
